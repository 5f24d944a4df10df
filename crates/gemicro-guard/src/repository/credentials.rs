//! Removes credentials from URLs, and from git's messages about them.

use gemicro_event::redact::Redactor;
use gemicro_event::text;

/// Minimum length of a secret: shorter values would match ordinary words.
const LEAST_BYTES: usize = 4;

/// A URL as it may be shown: without user, password and query. The user of an ssh URL is not a secret and stays.
pub(super) fn shown_address(url: &str) -> String {
    let text = text::plain(url, usize::MAX);
    let Some((scheme, rest)) = text.split_once("://") else {
        return text;
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = match authority.rsplit_once('@') {
        Some((user, host)) if scheme.ends_with("ssh") && !user.contains(':') => format!("{user}@{host}"),
        Some((_, host)) => host.to_owned(),
        None => authority.to_owned(),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// git's text without invisible characters and without the secrets of some URLs, shortened.
pub(super) fn redact_git_text(words: &str, urls: &[String]) -> String {
    let mut text = text::plain(words, usize::MAX);
    let mut secrets: Vec<String> = urls.iter().flat_map(|url| secrets(url)).collect();
    // The longest first: one may be part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    for secret in &secrets {
        text = text.replace(secret.as_str(), "***");
    }
    let text = Redactor::new(&secrets).redact(&text).into_owned();
    let words = text.split(' ').map(|word| match word.contains("://") {
        true => without_user(word),
        false => word.to_owned(),
    });
    let text = words.collect::<Vec<_>>().join(" ");
    text.chars().take(500).collect()
}

/// The credentials in a URL: user and password, as written and decoded, and the values of the query.
fn secrets(url: &str) -> Vec<String> {
    let Some((_, rest)) = url.split_once("://") else {
        return Vec::new();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let user = rest[..end].rsplit_once('@').map_or("", |(user, _)| user);
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let values = query.split('&').filter_map(|pair| pair.split_once('='));
    user.split(':')
        .chain(values.map(|(_, value)| value))
        .flat_map(|value| [value.to_owned(), percent_decode(value)])
        .filter(|value| value.len() >= LEAST_BYTES)
        .collect()
}

/// A word that contains a URL, without the part before the `@`.
fn without_user(word: &str) -> String {
    let Some((before, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((_, host)) => format!("{before}://{host}{}", &rest[end..]),
        None => word.to_owned(),
    }
}

fn percent_decode(value: &str) -> String {
    let mut bytes = Vec::new();
    let mut left = value.as_bytes();
    while let Some((first, rest)) = left.split_first() {
        let code = rest.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        match code {
            Some(code) if *first == b'%' => {
                bytes.push(code);
                left = &rest[2..];
            }
            Some(_) | None => {
                bytes.push(*first);
                left = rest;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
