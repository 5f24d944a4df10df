//! The real key or login, and the token that stands for it.

use std::fmt;

use subtle::ConstantTimeEq;

/// A key, or the access token of a login, that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct GatewaySecret {
    text: String,
    is_login: bool,
}

impl GatewaySecret {
    /// Takes a key; white space around it does not count.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self {
            text: key.as_ref().trim().to_owned(),
            is_login: false,
        }
    }

    /// Takes the access token of a login, which is sent as `Authorization: Bearer`.
    pub fn of_login(token: impl AsRef<str>) -> Self {
        Self {
            is_login: true,
            ..Self::new(token)
        }
    }

    /// Whether this is the token of a login.
    #[must_use]
    pub fn is_login(&self) -> bool {
        self.is_login
    }

    pub(super) fn expose(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for GatewaySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// 256 random bits that open one grant.
#[derive(Clone)]
pub(super) struct GrantToken(String);

impl GrantToken {
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut bits = [0_u8; 32];
        getrandom::fill(&mut bits)?;
        let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(format!("gw-{digits}")))
    }

    /// One that was made before.
    pub(super) fn from_bytes(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Whether this is it. Takes the same time wherever the two differ.
    pub(super) fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for GrantToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}
