//! Every error message and hint of the workspace on one golden page, and the words that no text may use.
//!
//! Messages are read from the sources: the attribute of an error enum, and the calls that make a failure or a hint.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use gemicro_event::ErrorKind;

use crate::golden;

/// What a message or a hint stands in.
const MARKERS: [&str; 6] = [
    "#[error(",
    "Failure::new(",
    "CommandError::new_failure(",
    "CommandError::usage(",
    "with_hint(",
    "attention(",
];

/// Phrases of a private dialect, and what to write instead.
const FORBIDDEN: [(&str, &str); 20] = [
    ("mend", "fix"),
    ("mended", "fixed"),
    ("told", "reported"),
    ("tells", "says, shows"),
    ("go on", "continue"),
    ("goes on", "continues"),
    ("gone on", "continued"),
    ("going on", "continuing"),
    ("went on", "continued"),
    ("hand in", "submit"),
    ("hands in", "submits"),
    ("handed in", "submitted"),
    ("take over", "import, resume"),
    ("takes over", "imports, resumes"),
    ("taken over", "imported, resumed"),
    ("took over", "imported, resumed"),
    ("deem", "consider"),
    ("nobody", "name the actor, or use the passive"),
    ("somebody", "name the actor"),
    ("ooda_trial", "test run"),
];

#[test]
fn every_message_and_hint_is_as_reviewed() {
    let mut page = String::new();
    for kind in ErrorKind::ALL {
        writeln!(page, "{kind} (exit {}): {}", kind.exit_code(), kind.hint()).unwrap();
    }
    for name in crates() {
        let sources = sources(&crates_folder().join(&name).join("src"));
        let messages: BTreeSet<String> = sources
            .iter()
            .flat_map(|source| MARKERS.iter().flat_map(|marker| texts_of(source, marker)))
            .collect();
        if !messages.is_empty() {
            writeln!(page, "\n{name}").unwrap();
        }
        for message in messages {
            writeln!(page, "  {message}").unwrap();
        }
    }
    golden!("messages", &page);
    check_words("messages", &page);
}

#[test]
fn texts_of_the_program_use_plain_words() {
    for source in sources(&crates_folder().join("gemicro-cli/src")) {
        // A literal without a space is a name.
        for (_, text) in literals(&source)
            .into_iter()
            .filter(|(_, text)| text.contains(' '))
        {
            check_words("gemicro-cli", &text);
        }
    }
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/args/snapshots");
    let mut n_pages = 0;
    for page in fs::read_dir(pages).unwrap() {
        check_words("help", &fs::read_to_string(page.unwrap().path()).unwrap());
        n_pages += 1;
    }
    assert!(n_pages > 0);
}

fn check_words(what: &str, page: &str) {
    for line in page.lines() {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let plain = format!(" {} ", words.join(" ").to_lowercase());
        for (forbidden, instead) in FORBIDDEN {
            assert!(
                !plain.contains(&format!(" {forbidden} ")),
                "{what}: `{forbidden}`: write {instead}: {line}"
            );
        }
    }
}

fn crates_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn crates() -> BTreeSet<String> {
    let found = fs::read_dir(crates_folder()).unwrap();
    found
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// The product code below a folder, without comments and tests.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.push(lines.collect::<Vec<_>>().join("\n"));
        }
    }
    found
}

/// The texts inside the brackets that follow a marker.
fn texts_of(source: &str, marker: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for (start, _) in source.match_indices(marker) {
        let rest = &source[start + marker.len()..];
        let all = literals(rest);
        let mut depth = 1;
        let mut end = 0;
        while depth > 0 && end < rest.len() {
            match all.iter().find(|(place, _)| place.start == end) {
                Some((place, _)) => end = place.end,
                None => {
                    let letter = rest[end..].chars().next().unwrap();
                    depth += i32::from(letter == '(') - i32::from(letter == ')');
                    end += letter.len_utf8();
                }
            }
        }
        let inside = all.into_iter().take_while(|(place, _)| place.end < end);
        texts.extend(
            inside
                .map(|(_, text)| text)
                .filter(|text| text.trim().contains(' ')),
        );
    }
    texts
}

/// The string literals of code, each with its place.
fn literals(code: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let mut found = Vec::new();
    let bytes = code.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\'' => at += char_length(&bytes[at..]),
            b'"' => {
                let hashes = bytes[..at].iter().rev().take_while(|it| **it == b'#').count();
                let is_raw = at > hashes && bytes[at - hashes - 1] == b'r';
                let end = if is_raw {
                    let end = format!("\"{}", "#".repeat(hashes));
                    code[at + 1..].find(&end).map_or(bytes.len(), |n| at + 1 + n)
                } else {
                    let mut end = at + 1;
                    while end < bytes.len() && bytes[end] != b'"' {
                        end += 1 + usize::from(bytes[end] == b'\\');
                    }
                    end
                };
                let text = code.get(at + 1..end).unwrap_or_default();
                let lines: Vec<&str> = text.split("\\\n").collect();
                let joined = lines.iter().enumerate().map(|(n, line)| match n {
                    0 => *line,
                    _ => line.trim_start(),
                });
                found.push((at..end + 1, joined.collect::<String>().replace('\n', "\\n")));
                at = end + 1;
            }
            _ => at += 1,
        }
    }
    found
}

/// The length of a character literal; 1 for a lifetime.
fn char_length(bytes: &[u8]) -> usize {
    let closing = |from: usize| bytes.iter().skip(from).take(10).position(|it| *it == b'\'');
    match bytes.get(1) {
        Some(b'\\') => closing(3).map_or(1, |n| n + 4),
        Some(first) if first.is_ascii() => match bytes.get(2) {
            Some(b'\'') => 3,
            _ => 1,
        },
        _ => closing(2).filter(|n| *n < 4).map_or(1, |n| n + 3),
    }
}
