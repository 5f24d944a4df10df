//! One API call and its answer, independent of the HTTP library.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::limits::LONGEST_WAIT;

/// One call of an API.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForgeApiCall {
    pub(crate) method: HttpMethod,
    /// Relative to the API's base, with the query; begins with a slash.
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
}

/// HTTP methods. All but `Post` can be repeated safely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpMethod {
    Get,
    Post,
    Patch,
    Put,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForgeAnswer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// Set if the forge reports too many calls.
    pub(crate) limited: Option<ForgeRateLimit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForgeRateLimit {
    /// How long the forge asked to wait.
    pub(crate) retry_after: Option<Duration>,
}

/// No complete answer arrived, so it is unknown whether the forge did anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallLost {
    pub(crate) reason: String,
}

impl ForgeAnswer {
    /// Creates an answer; `header` looks up a header by its lower-case name.
    pub(crate) fn new(status: u16, body: Vec<u8>, header: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            status,
            body,
            limited: rate_limit(status, header),
        }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// 429 means rate-limited on every forge. GitHub also uses 403, when no calls are left or it sends `retry-after`.
fn rate_limit(status: u16, header: impl Fn(&str) -> Option<String>) -> Option<ForgeRateLimit> {
    let number = |name: &str| header(name).and_then(|value| value.trim().parse::<u64>().ok());
    let retry_after = number("retry-after").map(Duration::from_secs);
    let none_left = number("x-ratelimit-remaining") == Some(0);
    let is_limit = match status {
        429 => true,
        403 => none_left || retry_after.is_some(),
        _ => false,
    };
    let reset = || {
        let at = number("x-ratelimit-reset").or_else(|| number("ratelimit-reset"))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        Some(Duration::from_secs(at).saturating_sub(now))
    };
    is_limit.then(|| ForgeRateLimit {
        retry_after: retry_after.or_else(reset).map(|wait| wait.min(LONGEST_WAIT)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_distinguished_from_a_missing_right() {
        let seconds = |n| {
            Some(ForgeRateLimit {
                retry_after: Some(Duration::from_secs(n)),
            })
        };
        let unstated = Some(ForgeRateLimit { retry_after: None });
        type Case = (
            u16,
            &'static [(&'static str, &'static str)],
            Option<ForgeRateLimit>,
        );
        let cases: [Case; 7] = [
            (403, &[], None),
            (403, &[("x-ratelimit-remaining", "41")], None),
            (403, &[("x-ratelimit-remaining", "0")], unstated),
            (403, &[("retry-after", "60")], seconds(60)),
            (429, &[], unstated),
            (429, &[("retry-after", "999999999")], seconds(86_400)),
            (200, &[("x-ratelimit-remaining", "0")], None),
        ];
        for (status, headers, expected) in cases {
            let header = |name: &str| {
                let found = headers.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(rate_limit(status, header), expected, "{status} {headers:?}");
        }
    }
}
