//! Switches for the single techniques of no-model research, so that a test can measure what each is worth.
//!
//! The main type is [`Techniques`]. Everything is on in normal use; nothing else in gemicro turns one off.

/// Which techniques are in use; the default is all of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Techniques {
    /// Exact matching of the subject's name; off: its words count like any other words.
    pub(crate) subject: bool,
    /// A sentence must hold a value of the expected type and unit.
    pub(crate) type_gate: bool,
    /// A sentence must speak of what was asked.
    pub(crate) coverage: bool,
    /// Compound questions are split.
    pub(crate) split: bool,
    /// Bridges over a name that a first document gives.
    pub(crate) hops: bool,
    /// Synonyms from the language files.
    pub(crate) synonyms: bool,
    /// Disagreeing documents are reported as a contradiction.
    pub(crate) contradictions: bool,
    /// Text in the shape of instructions, chat turns or tool calls is not evidence.
    pub(crate) structure: bool,
}

impl Default for Techniques {
    fn default() -> Self {
        Self {
            subject: true,
            type_gate: true,
            coverage: true,
            split: true,
            hops: true,
            synonyms: true,
            contradictions: true,
            structure: true,
        }
    }
}
