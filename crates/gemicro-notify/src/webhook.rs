//! Sends a notice to a webhook, signed as Standard Webhooks defines it.
//!
//! The name is resolved once, every address of the answer is checked, and the connection goes to those addresses only.
//! Redirects are not followed, no proxy is used, and the answer's body is not read.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gemicro_client::address_refusal;
use gemicro_event::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::notice::RunNotice;
use crate::settings::Webhook;

/// Time limit for one attempt, with the lookup of the name.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends a notice; an error says why it did not arrive, without the URL.
pub(crate) async fn send(webhook: &Webhook, notice: &RunNotice, now: Timestamp) -> Result<(), String> {
    match tokio::time::timeout(TIMEOUT, post(webhook, notice, now)).await {
        Ok(sent) => sent,
        Err(_) => Err(format!("no answer within {} s", TIMEOUT.as_secs())),
    }
}

async fn post(webhook: &Webhook, notice: &RunNotice, now: Timestamp) -> Result<(), String> {
    let body = notice.cloud_event().to_string();
    let timestamp = now.as_millis() / 1_000;
    let signature = sign(webhook.secret.bytes(), &notice.id, timestamp, &body);
    let addresses = checked_addresses(webhook).await?;
    let host = webhook.url().host_str().unwrap_or_default();
    let client = gemicro_client::builder_for(webhook.url())
        .user_agent(concat!("gemicro/", env!("CARGO_PKG_VERSION")))
        .no_proxy()
        .resolve_to_addrs(host, &addresses)
        .build()
        .map_err(innermost)?;
    let response = client
        .post(webhook.url().clone())
        .header("content-type", "application/cloudevents+json")
        .header("webhook-id", &notice.id)
        .header("webhook-timestamp", timestamp.to_string())
        .header("webhook-signature", signature)
        .body(body)
        .send()
        .await
        .map_err(innermost)?;
    let status = response.status();
    if status.is_success() {
        Ok(())
    } else if status.is_redirection() {
        Err(format!(
            "the server answered {status}; redirects are not followed"
        ))
    } else {
        Err(format!("the server answered {status}"))
    }
}

/// The value of the header `webhook-signature`.
fn sign(secret: &[u8], id: &str, timestamp: i64, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// Resolves the host. One address that is not public rejects the whole answer.
async fn checked_addresses(webhook: &Webhook) -> Result<Vec<SocketAddr>, String> {
    let host = webhook.url().host_str().unwrap_or_default();
    let host = host.trim_matches(['[', ']']);
    let port = webhook.url().port_or_known_default().unwrap_or_default();
    let found = tokio::net::lookup_host((host, port)).await;
    let found = found.map_err(|error| format!("{host} cannot be resolved: {error}"))?;
    let found: Vec<SocketAddr> = found.collect();
    if found.is_empty() {
        return Err(format!("{host} has no address"));
    }
    if !webhook.allow_private {
        for address in &found {
            if let Some(what) = address_refusal(address.ip()) {
                return Err(format!(
                    "{host} leads to {what}; set `allow_private = true` if that is intended"
                ));
            }
        }
    }
    Ok(found)
}

/// The cause of an error, without the URL.
fn innermost(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification of Standard Webhooks.
    #[test]
    fn a_known_signature() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = sign(
            &secret,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    /// However an address inside is written, it is refused before a connection is made.
    #[tokio::test]
    async fn addresses_that_are_not_public_are_refused() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        for (url, what) in [
            ("https://127.0.0.1/", "a loopback address"),
            ("https://localhost/", "a loopback address"),
            ("https://2130706433/", "a loopback address"),
            ("https://0x7f.1/", "a loopback address"),
            ("https://[::1]/", "a loopback address"),
            ("https://[::ffff:127.0.0.1]/", "an IPv4 address in IPv6 form"),
            ("https://0.0.0.0/", "an unspecified address"),
            ("https://10.0.0.1/", "a private address"),
            ("https://169.254.169.254/", "a cloud metadata address"),
            ("https://169.254.0.1/", "a link-local address"),
            ("https://100.64.0.1/", "a carrier's shared address"),
            ("https://224.0.0.1/", "a multicast address"),
        ] {
            let webhook = Webhook::new(url, secret, false).unwrap();
            let refused = checked_addresses(&webhook).await.unwrap_err();
            assert!(refused.contains(what), "{url}: {refused}");
            let webhook = Webhook::new(url, secret, true).unwrap();
            assert!(checked_addresses(&webhook).await.is_ok(), "{url}");
        }
    }
}
