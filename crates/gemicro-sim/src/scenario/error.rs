//! What is wrong with a scenario file, and where.

/// A scenario that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ScenarioError {
    /// The text is not a scenario. `line` and `column` start at 1.
    #[error("{file}:{line}:{column}: {message}")]
    Invalid {
        /// The name the text was given.
        file: String,
        /// Where the offending value stands.
        line: u64,
        /// Where the offending value stands.
        column: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the scenario {file}: {source}")]
    Unreadable { file: String, source: std::io::Error },
    /// What a model is to know cannot be read.
    #[error("cannot read what the model knows, {file}: {source}")]
    UnreadableKnowledge { file: String, source: std::io::Error },
    /// Nobody knows that built-in scenario.
    #[error("no built-in scenario `{name}`; there are {known}")]
    UnknownBuiltin {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The scenario cannot be written as YAML.
    #[error("cannot write the scenario: {0}")]
    Unwritable(String),
}
