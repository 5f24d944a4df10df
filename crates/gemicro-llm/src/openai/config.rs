//! Settings of a server: its address and key.

use std::fmt;

use reqwest::Url;

/// Settings of [`OpenAiBackend`](crate::OpenAiBackend).
#[derive(Clone, PartialEq, Eq)]
pub struct OpenAiConfig {
    /// The address of the API, such as `http://127.0.0.1:11434/v1`. Without a path, `/v1` is added; otherwise the
    /// path is used as given. A trailing slash or `/chat/completions` is ignored.
    pub base_url: String,
    /// The key, if the server needs one. It is only sent in a header.
    pub api_key: Option<String>,
}

impl OpenAiConfig {
    /// The base address of `chat/completions` and `models`.
    pub(super) fn base(&self) -> Result<Url, String> {
        let mut base = Url::parse(self.base_url.trim()).map_err(|error| error.to_string())?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err("expected http:// or https://".to_owned());
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err("expected no `?` or `#` in it".to_owned());
        }
        let path = base.path().trim_end_matches('/');
        let path = path.strip_suffix("/chat/completions").unwrap_or(path);
        let path = if path.is_empty() { "/v1" } else { path }.to_owned();
        base.set_path(&path);
        Ok(base)
    }

    /// The address without user name and password.
    pub(super) fn shown_url(&self) -> String {
        match self.base_url.rsplit_once('@') {
            Some((_, behind)) => format!("…@{behind}"),
            None => self.base_url.clone(),
        }
    }
}

impl fmt::Debug for OpenAiConfig {
    /// Shows everything except credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiConfig")
            .field("base_url", &self.shown_url())
            .field("has_key", &self.api_key.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(base_url: &str) -> OpenAiConfig {
        OpenAiConfig {
            base_url: base_url.to_owned(),
            api_key: Some("sk-very-secret-0123456789".to_owned()),
        }
    }

    #[test]
    fn an_address_without_a_path_gets_v1() {
        for (given, expected) in [
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
            ("http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1"),
            ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
            ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1"),
            (
                "http://127.0.0.1:8080/v1/chat/completions",
                "http://127.0.0.1:8080/v1",
            ),
            (
                "http://127.0.0.1:8080/chat/completions",
                "http://127.0.0.1:8080/v1",
            ),
            ("https://example.com/openai/v1", "https://example.com/openai/v1"),
            ("https://example.com/api/v4", "https://example.com/api/v4"),
            (" http://[::1]:1234 ", "http://[::1]:1234/v1"),
        ] {
            assert_eq!(config(given).base().unwrap().as_str(), expected, "{given}");
        }
        for given in [
            "",
            "127.0.0.1:11434",
            "localhost",
            "ftp://x/v1",
            "http://x/v1?key=1",
        ] {
            assert!(config(given).base().is_err(), "{given}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = format!("{:?}", config("http://me:hunter22@127.0.0.1:1/v1"));
        assert!(
            !shown.contains("secret") && !shown.contains("hunter22"),
            "{shown}"
        );
        assert!(shown.contains("@127.0.0.1:1/v1"), "{shown}");
    }
}
