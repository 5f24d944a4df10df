//! Rejects names that cannot be Gemini models: API keys, and models of another provider.

use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure, Json};

use crate::ask::backend_of_model;
use crate::llm::GEMINI;

/// Minimum length of a part that mixes letters with digits to look like a secret; model names have no such parts.
const LONG_PART: usize = 20;

/// Refuses a name that is empty, contains whitespace, or looks like an API key; a key is not repeated in the error.
///
/// # Errors
/// `invalid_input` if it is not a model name.
pub fn check_model_name(name: &str) -> Result<(), Failure> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        let message = match name.trim() {
            "" => "the name of the model is empty".to_owned(),
            _ => format!("`{name}` is not a model name: it contains whitespace"),
        };
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    if !looks_like_secret(name) {
        return Ok(());
    }
    let message = "the name of the model looks like a key or token; it was not used or stored. Put keys in the \
                   environment, such as GEMINI_API_KEY";
    Err(Failure::new(ErrorKind::InvalidInput, message))
}

/// Refuses models that belong to a provider other than the Gemini API.
///
/// # Errors
/// `invalid_input` with the backend that has the model.
pub fn check_gemini_model(name: &str) -> Result<(), Failure> {
    check_model_name(name)?;
    let backend = match backend_of_model(name) {
        Some(backend) if backend != GEMINI => backend,
        Some(_) | None => return Ok(()),
    };
    let message = format!(
        "the Gemini API has no model `{name}`. For research, use the backend `{backend}`; for a single answer, use `ask`. If an \
         OpenAI-compatible server has this model, use the backend `openai`"
    );
    let detail = serde_json::json!({ "model": name, "backend": backend });
    Err(Failure {
        detail: Some(Json::from(detail)),
        ..Failure::new(ErrorKind::InvalidInput, message)
    })
}

fn looks_like_secret(name: &str) -> bool {
    let known_shape = Redactor::new(std::iter::empty::<&str>()).redact(name) != name;
    let is_random = |part: &str| {
        part.len() >= LONG_PART
            && part.bytes().any(|byte| byte.is_ascii_digit())
            && part.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    known_shape
        || name
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(is_random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::ModelTable;

    #[test]
    fn keys_are_no_names_and_are_not_repeated() {
        for key in [
            format!("AIza{}", "SyA0123456789abcdefghijklmnopqrstuv"),
            format!("sk-ant-{}", "api03-abcdefghijklmnopqrstuvwxyz0123456789"),
            format!("ghp_{}", "abcdefghijklmnopqrstuvwxyz0123456789"),
            "0123456789abcdef0123456789abcdef".to_owned(),
            format!("gemini-{}", "a1B2c3D4e5F6g7H8i9J0k1L2"),
        ] {
            let failure = check_model_name(&key).expect_err(&key);
            assert_eq!(failure.kind, ErrorKind::InvalidInput);
            assert!(!failure.message.contains(&key), "{failure}");
        }
    }

    #[test]
    fn an_empty_name_and_blanks_are_no_names() {
        for name in ["", " ", "gemini 3", " gemini-3.5-flash", "a\tb"] {
            let failure = check_model_name(name).expect_err(name);
            assert_eq!(failure.kind, ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn every_known_name_is_one() {
        let others = [
            "llama3.2:latest",
            "Qwen/Qwen2.5-Coder-32B-Instruct-GGUF",
            "claude-sonnet-4-5-20250929",
            "deepseek-r1-distill-qwen-32b-q4_K_M",
            "mistralai/Mixtral-8x22B-Instruct-v0.1",
        ];
        for name in ModelTable::embedded().models().chain(others) {
            assert_eq!(check_model_name(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn models_of_others_are_refused_with_the_right_backend() {
        for name in [
            "claude-opus-4-8",
            "gpt-5.2-codex",
            "o3",
            "models/claude-opus-4-8",
            "Claude-Opus-4.8",
        ] {
            let failure = check_gemini_model(name).expect_err(name);
            assert!(
                ["backend `claude`", "backend `codex`"]
                    .iter()
                    .any(|backend| failure.message.contains(backend)),
                "{failure}"
            );
        }
        for name in [
            "gemini-3.5-flash",
            "gemma-4-27b",
            "deep-research",
            "brand-new-model",
        ] {
            assert_eq!(check_gemini_model(name), Ok(()), "{name}");
        }
    }
}
