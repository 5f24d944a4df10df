//! Recognises identifiers by their form.

use super::FactKind;

/// Maximum length of an identifier in bytes; longer ones are data.
const MAX_LENGTH: usize = 200;

/// The kind of an identifier; `None` if the word is not one.
pub(super) fn kind_of(word: &str) -> Option<FactKind> {
    if word.len() < 3 || word.len() > MAX_LENGTH || looks_encoded(word) {
        return None;
    }
    if word.contains("://") {
        return Some(FactKind::Url);
    }
    hash_kind(word)
        .or_else(|| time_kind(word))
        .or_else(|| version_kind(word))
        .or_else(|| upper_kind(word))
        .or_else(|| host_kind(word))
        .or_else(|| path_kind(word))
        .or_else(|| name_kind(word))
}

/// Base64 and the like.
fn looks_encoded(word: &str) -> bool {
    let has_marks = word.contains('+') || word.ends_with('=');
    let plain = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_capitals = word.bytes().any(|byte| byte.is_ascii_uppercase());
    plain && !is_hex && word.len() >= 40 && (has_marks || (has_capitals && !word.starts_with('/')))
}

fn is_hex(word: &str) -> bool {
    !word.is_empty()
        && (word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            || word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F')))
}

fn hash_kind(word: &str) -> Option<FactKind> {
    if let Some((algorithm, hash)) = word.split_once([':', '-']) {
        let names_it = algorithm.len() >= 3 && algorithm.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if names_it && hash.len() >= 32 && is_hex(hash) {
            return Some(FactKind::Hash);
        }
    }
    let groups: Vec<&str> = word.split('-').collect();
    let is_uuid = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]);
    if is_uuid && groups.iter().all(|group| is_hex(&group.to_lowercase())) {
        return Some(FactKind::Uuid);
    }
    if !is_hex(word) || !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match word.len() {
        ..7 => None,
        7..32 => Some(FactKind::ShortHash),
        32.. => Some(FactKind::Hash),
    }
}

fn time_kind(word: &str) -> Option<FactKind> {
    let bytes = word.as_bytes();
    let two_digits = |at: usize| {
        bytes
            .get(at..at + 2)
            .is_some_and(|two| two.iter().all(u8::is_ascii_digit))
    };
    let is_date = bytes.len() >= 10
        && two_digits(0)
        && two_digits(2)
        && bytes[4] == b'-'
        && two_digits(5)
        && bytes[7] == b'-'
        && two_digits(8);
    let is_clock = bytes.len() >= 5 && two_digits(0) && bytes[2] == b':' && two_digits(3);
    (is_date || is_clock).then_some(FactKind::Place)
}

fn version_kind(word: &str) -> Option<FactKind> {
    let (bare, has_v) = match word.strip_prefix(['v', 'V']) {
        Some(rest) => (rest, true),
        None => (word, false),
    };
    let end = bare
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(bare.len());
    let (numbers, rest) = bare.split_at(end);
    let parts: Vec<&str> = numbers.split('.').collect();
    let suffix_fits = rest.is_empty()
        || (rest.starts_with(['-', '+'])
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')));
    let fits = parts.iter().all(|part| !part.is_empty()) && suffix_fits;
    let is_ip = parts.len() == 4 && !has_v && rest.is_empty();
    match parts.len() {
        2 if fits && has_v => Some(FactKind::Version),
        3.. if fits && !is_ip => Some(FactKind::Version),
        _ => None,
    }
}

/// Tickets and names of environment variables.
fn upper_kind(word: &str) -> Option<FactKind> {
    if let Some(number) = word.strip_prefix('#') {
        return number
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some(FactKind::Ticket);
    }
    let is_upper = |part: &str| {
        part.bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    if !word.starts_with(|letter: char| letter.is_ascii_uppercase()) {
        return None;
    }
    if let Some((project, number)) = word.rsplit_once('-') {
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && project.len() >= 2 && project.split('-').all(is_upper) {
            return Some(FactKind::Ticket);
        }
    }
    (word.contains('_') && word.split('_').all(is_upper) && !word.ends_with('_')).then_some(FactKind::Env)
}

/// Last labels of host names, as opposed to file extensions.
const TOP_LABELS: &[&str] = &[
    "test",
    "example",
    "invalid",
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "com",
    "org",
    "net",
    "io",
    "dev",
    "app",
    "cloud",
    "edu",
    "gov",
    "eu",
    "de",
    "uk",
    "fr",
    "cn",
    "jp",
    "us",
    "ch",
    "no",
    "se",
];

fn host_kind(word: &str) -> Option<FactKind> {
    let word = word.rsplit_once('@').map_or(word, |(_, host)| host);
    let (host, port) = match word.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (host, Some(port))
        }
        _ => (word, None),
    };
    if host.is_empty() {
        return port
            .filter(|port| (2..=5).contains(&port.len()))
            .map(|_| FactKind::Address);
    }
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let labels: Vec<&str> = host.split('.').collect();
    let are_labels = labels.iter().all(|label| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    });
    if !are_labels {
        return None;
    }
    let is_ip = labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    let last = labels.last().copied().unwrap_or_default().to_lowercase();
    let is_named = labels.len() >= 2
        && (TOP_LABELS.contains(&last.as_str())
            || (labels.len() >= 3 && last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_lowercase())));
    match port {
        Some(_) if is_ip || is_named || host == "localhost" => Some(FactKind::Address),
        Some(_) => None,
        None if is_ip => Some(FactKind::Address),
        None => is_named.then_some(FactKind::Host),
    }
}

/// First components of branch names.
const BRANCH_FOLDERS: &[&str] = &[
    "task", "feature", "feat", "fix", "bugfix", "hotfix", "release", "chore", "topic", "wip", "origin",
    "refs", "heads", "upstream", "user", "users", "dev", "exp", "spike", "refactor", "test", "docs", "ci",
    "agent",
];

fn path_kind(word: &str) -> Option<FactKind> {
    let is_windows = word.as_bytes().get(1) == Some(&b':') && word.contains('\\');
    if !word.contains('/') && !is_windows {
        return None;
    }
    if is_windows || word.starts_with("~/") || word.starts_with("./") || word.starts_with("../") {
        return Some(FactKind::Path);
    }
    let inner = word.trim_start_matches('/').trim_end_matches('/');
    let parts: Vec<&str> = inner.split('/').collect();
    let are_names = parts.iter().all(|part| {
        !part.is_empty()
            && part
                .bytes()
                .any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'*')
    });
    if !are_names || inner.is_empty() {
        return None;
    }
    if word.starts_with('/') {
        return Some(FactKind::Path);
    }
    let last = parts.last().copied().unwrap_or_default();
    let has_ending = last
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending.bytes().any(|byte| byte.is_ascii_alphabetic()));
    let is_marked = inner
        .bytes()
        .any(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'.'));
    match parts.len() {
        1 => Some(FactKind::Path).filter(|_| word.ends_with('/')),
        _ if has_ending || word.ends_with('/') => Some(FactKind::Path),
        2 if BRANCH_FOLDERS.contains(&parts[0]) => Some(FactKind::Branch),
        2 if is_marked && !inner.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/') => {
            Some(FactKind::Branch)
        }
        2 => None,
        _ => Some(FactKind::Path),
    }
}

/// Letters and digits together, as in `E17`, `run-8f2`, `x86_64`.
fn name_kind(word: &str) -> Option<FactKind> {
    let fits = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'@' | b'#'));
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let n_letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    (fits && has_digit && n_letters > 0 && word.len() <= 64).then_some(FactKind::Name)
}
