//! Why a prompt cannot be made.

/// A prompt that cannot be made of its template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PromptError {
    /// Nobody has the file.
    #[error("there is no prompt `{file}`: write it beside the others, or name another one")]
    Missing { file: String },
    /// The template is wrong in itself.
    #[error("{file} line {line}: {message}")]
    Broken {
        file: String,
        /// The line in it, from 1.
        line: usize,
        message: String,
    },
    /// The template names variables that do not exist.
    #[error("{file}: undefined variable `{}`; there are {known}", .unknown.join("`, `"))]
    UndefinedVariable {
        file: String,
        /// The variables that nobody knows.
        unknown: Vec<String>,
        /// The variables there are.
        known: String,
    },
    /// The ending does not ask for the payload.
    #[error("{file} must hold {{{{ {variable} }}}}: without it no answer can be read")]
    NoPayloadAsked {
        file: String,
        /// The variable that is not used.
        variable: &'static str,
    },
    /// The text is too long to be sent.
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
