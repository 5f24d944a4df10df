//! Finds the secrets in a settings file: values, and parts of lines.

use std::collections::BTreeSet;

/// Minimum length of a text that is searched for, in characters.
const SHORTEST: usize = 12;
/// Minimum length of a value that is searched for because of the name before it.
const SHORTEST_NAMED: usize = 8;

const SECRET_NAMES: [&str; 8] = [
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "oauth",
    "bearer",
];

/// The secret texts of a file: all of it as one text, and the secrets in its lines.
pub(super) fn of_file(text: &str) -> BTreeSet<&str> {
    let whole = Some(text.trim()).filter(|whole| whole.chars().count() >= SHORTEST);
    whole.into_iter().chain(text.lines().flat_map(of_line)).collect()
}

fn of_line(line: &str) -> Vec<&str> {
    let content = without_comment(line);
    // A quoted value may contain what looks like a comment.
    let whole = Some(line).filter(|_| !content.trim().is_empty());
    let mut secrets: Vec<&str> = whole.into_iter().chain([content]).filter_map(value_of).collect();
    secrets.extend(secret_pieces(content, is_quote));
    secrets.extend(secret_pieces(content, is_separator));
    secrets
}

/// The line up to `# ` or `// `; without spaces around them, both can be part of a value.
fn without_comment(line: &str) -> &str {
    let begins = |at: &usize| {
        let (before, rest) = line.split_at(*at);
        let after = rest.strip_prefix('#').or_else(|| rest.strip_prefix("//"));
        let is_apart = before.is_empty() || before.ends_with(char::is_whitespace);
        is_apart && after.is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace))
    };
    let at = line.char_indices().map(|(at, _)| at).find(begins);
    at.map_or(line, |at| &line[..at])
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || is_quote(c) || "=:,;@/{}[]".contains(c)
}

/// The parts of a line that look random, that follow a secret name, or that are the password in a URL.
fn secret_pieces(line: &str, separates: fn(char) -> bool) -> Vec<&str> {
    let mut secrets = Vec::new();
    let (mut before, mut rest) = ("", line);
    while let Some(begin) = rest.find(|c| !separates(c)) {
        let is_after_colon = rest[..begin].ends_with(':');
        rest = &rest[begin..];
        let (piece, after) = rest.split_at(rest.find(separates).unwrap_or(rest.len()));
        // Before these characters, the part is the beginning of a path or a URL.
        let is_value = is_secret_name(before) && !after.starts_with(['/', ':']);
        let is_password = is_after_colon && after.starts_with('@');
        if is_mixed(piece) || ((is_value || is_password) && is_known_by_name(piece)) {
            secrets.push(piece);
        }
        if !piece.chars().all(is_separator) {
            before = piece;
        }
        rest = after;
    }
    secrets
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|it| name.contains(it))
}

/// Whether a value with a secret name is specific enough to search for: not a plain word, number or host name.
fn is_known_by_name(value: &str) -> bool {
    let n_chars = value.chars().count();
    let has_letter = value.chars().any(char::is_alphabetic);
    let is_plain = |c: char| c.is_alphabetic() || matches!(c, '_' | '-' | '.');
    let is_word = value.chars().all(is_plain);
    let is_long = n_chars >= SHORTEST && !value.contains('.');
    let is_odd = n_chars >= SHORTEST_NAMED && !is_word;
    has_letter && (is_long || is_odd) && !is_address(value)
}

/// Whether a text is random and mixes letters and digits. Words and numbers that are only joined, as in a host name, do
/// not count.
fn is_mixed(piece: &str) -> bool {
    let mixes = |run: &&str| run.contains(char::is_alphabetic) && run.contains(|c: char| c.is_ascii_digit());
    let runs = piece.split(|c: char| !c.is_alphanumeric()).filter(mixes);
    let n_mixed: usize = runs.map(|run| run.chars().count()).sum();
    n_mixed >= SHORTEST && is_random(piece) && !piece.contains(is_separator)
}

/// The secret in a settings line: a value that looks random or has a secret name. If a value with a secret name is
/// short, the secret is the whole line.
fn value_of(line: &str) -> Option<&str> {
    let line = line.trim().trim_end_matches([',', ';']);
    if line.starts_with(['#', '/']) || line.starts_with("-----") {
        return None;
    }
    let (name, value) = match line.split_once(['=', ':']) {
        // A line of base64 ends with `=`.
        Some((_, rest)) if rest.trim_matches('=').is_empty() => ("", line),
        Some((name, value)) => (name, value),
        None => ("", line),
    };
    let value = value.trim().trim_matches(['"', '\'', '`']);
    let is_long = value.chars().count() >= SHORTEST;
    if is_long && is_random(value) {
        return Some(value);
    }
    if value.is_empty() || !is_secret_name(name) || is_address(value) {
        return None;
    }
    match is_long {
        true => Some(value),
        false => Some(line).filter(|line| line.chars().count() >= SHORTEST),
    }
}

/// Letters and digits without spaces, with many different characters, and not a public URL.
fn is_random(value: &str) -> bool {
    let kinds: BTreeSet<char> = value.chars().collect();
    let has = |is: fn(&char) -> bool| kinds.iter().any(is);
    kinds.len() >= 8
        && !has(|c| c.is_whitespace())
        && has(|c| c.is_alphabetic())
        && has(|c| c.is_ascii_digit())
        && !is_address(value)
}

/// A URL without a password in it.
fn is_address(value: &str) -> bool {
    value.contains("://") && !value.contains('@') && !value.contains(['?', '&'])
}

#[cfg(test)]
mod tests {
    use super::of_line;

    #[test]
    fn secrets_are_found_in_lines_of_every_kind() {
        for (line, secret) in [
            ("API_TOKEN=abc123def456ghi # production", "abc123def456ghi"),
            ("API_TOKEN=abc123def456ghi\t// production", "abc123def456ghi"),
            ("#API_TOKEN=abc123def456ghi", "abc123def456ghi"),
            ("PASSWORD=\"my # pass1234\"", "my # pass1234"),
            (
                "//registry.example/:_authToken=npm_abcDEF123456ghi",
                "npm_abcDEF123456ghi",
            ),
            ("machine h login u password s3cretpassw0rd", "s3cretpassw0rd"),
            ("machine h login u password s3cr3t!x", "s3cr3t!x"),
            ("machine h login u password correcthorse", "correcthorse"),
            ("DATABASE_URL=postgres://u:PASSw0rd123x@h/db", "PASSw0rd123x"),
            ("CACHE=redis://:hunter2!@cache.example:6379", "hunter2!"),
            (
                "HOOK_TOKEN=https://hooks.example/T000/abcDEF123456",
                "abcDEF123456",
            ),
            (
                "{\"user\":\"bob\",\"token\":\"abc123def456ghi\"}",
                "abc123def456ghi",
            ),
            ("{\"user\":\"bob\",\"password\":\"p@ss/w0rd,1\"}", "p@ss/w0rd,1"),
            (
                "id: 550e8400-e29b-41d4-a716-446655440000 x",
                "550e8400-e29b-41d4-a716-446655440000",
            ),
            (
                "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.x1",
                "eyJhbGciOiJIUzI1NiJ9.x1",
            ),
            ("PASSWORD=hunter2!", "hunter2!"),
            ("PASSWORD=hunter2", "PASSWORD=hunter2"),
        ] {
            assert!(of_line(line).contains(&secret), "{line}: {:?}", of_line(line));
        }
    }

    #[test]
    fn plain_words_hosts_and_paths_are_no_secrets() {
        for line in [
            "",
            "# PASSWORD=hunter2!x",
            "// see https://example.org/v2/docs",
            "NODE_ENV=production # as on the server",
            "DOCS=https://example.org/v2/docs",
            "hosts: db01.prod.example.com, db02.prod.example.com",
            "hosts: my-service-01-prod.example.com, localhost",
            "PORT=5432",
            "bin = node_modules/typescript/bin",
            "/usr/lib/x86_64-linux-gnu/libc.so.6",
            "machine github.com login somebody",
            "images: postgres15-alpine python3.12-slim-bookworm",
        ] {
            assert_eq!(of_line(line), Vec::<&str>::new(), "{line}");
        }
    }

    #[test]
    fn what_only_stands_near_a_secret_is_none() {
        for (line, word) in [
            (
                "DATABASE_URL=postgres://service:PASSw0rd123x@db01.prod.example.com/orders",
                "db01.prod.example.com",
            ),
            ("PASSWORD=postgres", "postgres"),
            ("KEY_DIR=node_modules/x", "node_modules"),
            ("TOKEN_HOST=registry01:8080", "registry01"),
            ("MAX_TOKENS=200000000", "200000000"),
            (
                "API_TOKEN=abc123def456ghi # production-server-1",
                "production-server-1",
            ),
        ] {
            assert!(!of_line(line).contains(&word), "{line}: {:?}", of_line(line));
        }
    }
}
