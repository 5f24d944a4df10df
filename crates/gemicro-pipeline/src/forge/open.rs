//! Creates a client for a forge from its address.

use super::address::{ForgeAddress, ForgeKind, HostOrigin};
use super::error::ForgeError;
use super::github::GitHub;
use super::gitlab::GitLab;
use super::port::Forge;
use super::token::ForgeToken;

/// Creates a client for a forge. Nothing is sent yet. Without a token, only public data can be read.
///
/// # Errors
/// When the token is malformed, or the host was only guessed.
pub fn open(address: ForgeAddress, token: Option<ForgeToken>) -> Result<Box<dyn Forge>, ForgeError> {
    if let Some(token) = &token {
        check(&address, token)?;
    }
    Ok(match address.kind() {
        ForgeKind::GitHub => Box::new(GitHub::new(address, token)),
        ForgeKind::GitLab => Box::new(GitLab::new(address, token)),
    })
}

fn check(address: &ForgeAddress, token: &ForgeToken) -> Result<(), ForgeError> {
    if !token.is_sendable() {
        return Err(ForgeError::Unauthorised {
            place: address.place(),
            doing: "ask anything".to_owned(),
            message: "the token contains invalid characters".to_owned(),
            next: format!(
                "set it again in {}",
                address.kind().token_variables().join(" or ")
            ),
        });
    }
    match address.origin() {
        HostOrigin::Public | HostOrigin::Named => Ok(()),
        HostOrigin::Guessed => Err(ForgeError::UnnamedHost {
            host: address.host(),
            kind: address.kind().name().to_owned(),
        }),
    }
}
