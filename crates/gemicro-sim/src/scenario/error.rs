//! Errors in a scenario file, with their positions.

/// A scenario that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ScenarioError {
    /// The text is not a scenario. `line` and `column` start at 1.
    #[error("{file}:{line}:{column}: {message}")]
    Invalid {
        /// Name of the text, for errors.
        file: String,
        /// Line of the invalid value.
        line: u64,
        /// Column of the invalid value.
        column: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the scenario {file}: {source}")]
    Unreadable { file: String, source: std::io::Error },
    /// The file with a model's knowledge cannot be read.
    #[error("cannot read what the model knows, {file}: {source}")]
    UnreadableKnowledge { file: String, source: std::io::Error },
    /// There is no such built-in scenario.
    #[error("no built-in scenario `{name}`; there are {known}")]
    UnknownBuiltin {
        /// The name that was asked for.
        name: String,
        /// The names that can be used.
        known: String,
    },
    /// The scenario cannot be written as YAML.
    #[error("cannot write the scenario: {0}")]
    Unwritable(String),
}
