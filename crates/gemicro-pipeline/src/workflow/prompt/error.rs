//! Errors when a prompt is rendered.

/// A prompt that cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PromptError {
    /// The template file is missing.
    #[error("there is no prompt `{file}`: create it in the folder of the prompts, or use another one")]
    Missing { file: String },
    /// The template is invalid.
    #[error("{file} line {line}: {message}")]
    Broken {
        file: String,
        /// Line in the template, counted from 1.
        line: usize,
        message: String,
    },
    /// The template uses variables that do not exist.
    #[error("{file}: undefined variable `{}`; there are {known}", .unknown.join("`, `"))]
    UndefinedVariable {
        file: String,
        /// Variables of the template that do not exist.
        unknown: Vec<String>,
        /// Variables that a template can use.
        known: String,
    },
    /// The ending does not ask for the payload.
    #[error("{file} must contain {{{{ {variable} }}}}: without it no answer can be read")]
    NoPayloadAsked {
        file: String,
        /// The unused variable.
        variable: &'static str,
    },
    /// The prompt is too long.
    #[error(
        "the prompt of {file} has {bytes} bytes, at most {most} are sent: shorten the request or the notes"
    )]
    TooLong {
        /// The name of the role's template.
        file: String,
        bytes: usize,
        most: usize,
    },
}
