//! Encodes names for use in a path or query.

use std::fmt::Write;

/// Escapes every byte with a special meaning in a URL, including the slash.
pub(crate) fn percent_encode(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("writing to a string does not fail");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_means_anything_in_an_address() {
        for (name, expected) in [
            ("main", "main"),
            ("task/a b", "task%2Fa%20b"),
            ("a?b#c&d=e%", "a%3Fb%23c%26d%3De%25"),
            ("../x", "..%2Fx"),
            ("ü", "%C3%BC"),
        ] {
            assert_eq!(percent_encode(name), expected);
        }
    }
}
