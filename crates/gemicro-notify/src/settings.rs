//! Where notifications go: [`NotifySettings`].

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use sha2::{Digest, Sha256};

/// Prefix of a secret, as Standard Webhooks defines it.
const SECRET_PREFIX: &str = "whsec_";

/// Size of a secret in bytes, as Standard Webhooks requires.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The command and the webhooks that receive notifications.
#[derive(Debug, Clone, Default)]
pub struct NotifySettings {
    /// A shell command that gets each notification as JSON on stdin.
    pub command: Option<String>,
    /// The whole environment of that command, besides the variables about the event.
    pub command_environment: Vec<(String, String)>,
    /// Servers that get each notification as a signed request.
    pub webhooks: Vec<Webhook>,
}

/// A server that gets signed requests.
#[derive(Debug, Clone)]
pub struct Webhook {
    url: Url,
    pub(crate) secret: WebhookSecret,
    /// Allows http and addresses that are not public.
    pub(crate) allow_private: bool,
}

/// The key of the signatures. Its `Debug` output does not contain it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(Vec<u8>);

/// Why a webhook cannot be used. Contains neither its URL nor its secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWebhook {
    /// The URL cannot be parsed.
    #[error("the URL is not valid: {0}")]
    Url(String),
    /// Notifications would be readable on their way.
    #[error("the URL must begin with https://; `allow_private = true` also allows http://")]
    Scheme,
    /// A user name or password is in the URL.
    #[error("the URL contains a user name or password; the secret signs requests instead")]
    UserInfo,
    /// The secret has another form.
    #[error("the secret must be `whsec_` and 24 to 64 bytes in base64")]
    Secret,
}

/// A destination of deliveries.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DeliveryTarget<'s> {
    Command(&'s str),
    Webhook(&'s Webhook),
}

impl NotifySettings {
    /// Whether there is no destination.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.command.is_none() && self.webhooks.is_empty()
    }

    /// The names of all destinations, for display.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.targets().map(|target| target.name()).collect()
    }

    pub(crate) fn targets(&self) -> impl Iterator<Item = DeliveryTarget<'_>> {
        let command = self.command.as_deref().map(DeliveryTarget::Command);
        command
            .into_iter()
            .chain(self.webhooks.iter().map(DeliveryTarget::Webhook))
    }

    pub(crate) fn target(&self, key: &str) -> Option<DeliveryTarget<'_>> {
        self.targets().find(|target| target.key() == key)
    }
}

impl Webhook {
    /// Checks a webhook as written in the settings.
    ///
    /// # Errors
    /// When the URL or the secret cannot be used.
    pub fn new(url: &str, secret: &str, allow_private: bool) -> Result<Self, BadWebhook> {
        let url: Url = url.parse().map_err(|error| BadWebhook::Url(format!("{error}")))?;
        match url.scheme() {
            "https" => {}
            "http" if allow_private => {}
            _ => return Err(BadWebhook::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadWebhook::UserInfo);
        }
        Ok(Self {
            url,
            secret: WebhookSecret::parse(secret).ok_or(BadWebhook::Secret)?,
            allow_private,
        })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Scheme and host. The path may contain a token, so it is not shown.
    #[must_use]
    pub fn shown_url(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}

impl WebhookSecret {
    fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(SECRET_PREFIX)?).ok()?;
        SECRET_BYTES.contains(&bytes.len()).then_some(Self(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(***)")
    }
}

impl DeliveryTarget<'_> {
    /// Identifies it in the queue; does not reveal the URL.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Command(_) => "command".to_owned(),
            Self::Webhook(webhook) => {
                let digest = Sha256::digest(webhook.url.as_str());
                let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
                format!("webhook-{hex}")
            }
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Command(_) => "command".to_owned(),
            Self::Webhook(webhook) => format!("webhook {}", webhook.shown_url()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";

    #[test]
    fn what_can_be_a_webhook() {
        for (url, secret, allow_private, expected) in [
            ("https://example.com/hook", SECRET, false, None),
            ("http://127.0.0.1:1/", SECRET, true, None),
            ("http://example.com/", SECRET, false, Some(BadWebhook::Scheme)),
            ("file:///etc/passwd", SECRET, true, Some(BadWebhook::Scheme)),
            (
                "https://me@example.com/",
                SECRET,
                false,
                Some(BadWebhook::UserInfo),
            ),
            (
                "https://example.com/",
                "MDEyMzQ1",
                false,
                Some(BadWebhook::Secret),
            ),
            (
                "https://example.com/",
                "whsec_MDEy",
                false,
                Some(BadWebhook::Secret),
            ),
            ("https://example.com/", "whsec_?", false, Some(BadWebhook::Secret)),
        ] {
            assert_eq!(Webhook::new(url, secret, allow_private).err(), expected, "{url}");
        }
    }

    #[test]
    fn neither_the_secret_nor_the_path_is_shown() {
        let webhook = Webhook::new("https://example.com/services/T0K3N", SECRET, false).unwrap();
        let target = DeliveryTarget::Webhook(&webhook);
        let shown = format!("{:?} {} {}", webhook.secret, target.name(), target.key());
        assert!(!shown.contains("T0K3N") && !shown.contains("MDEy") && !shown.contains("0123456789"));
        assert_eq!(target.name(), "webhook https://example.com");
    }
}
