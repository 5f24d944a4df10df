//! Programs whose written paths need more than a table: `sed`, `perl`, `dd`, `ln`, `tar`.

use super::table::{Operands, PLAIN, WriterRule, rest_of, sort, written_words};
use super::target;
use crate::policy::decision::Denial;
use crate::policy::shell::run::PolicyRun;
use crate::policy::shell::state::ShellState;
use crate::policy::shell::word::ShellWord;

pub(super) fn sed(words: &[ShellWord]) -> Vec<ShellWord> {
    let is_in_place = |word: &ShellWord| {
        let is_short = !word.prefix.starts_with("--") && word.prefix.starts_with('-');
        word.prefix.starts_with("--in-place")
            || is_short && word.prefix.split('e').next().is_some_and(|it| it.contains('i'))
    };
    if !words.iter().any(is_in_place) {
        return Vec::new();
    }
    let has_script = |word: &ShellWord| {
        let long = word.prefix.starts_with("--expression") || word.prefix.starts_with("--file");
        long || !word.prefix.starts_with("--")
            && word.prefix.starts_with('-')
            && word.prefix.contains(['e', 'f'])
    };
    let writer = WriterRule {
        operands: if words.iter().any(has_script) {
            Operands::All
        } else {
            Operands::Rest
        },
        valued: "ef",
        ..PLAIN
    };
    // `-i` takes a value only in the same word.
    let plain: Vec<ShellWord> = words
        .iter()
        .filter(|word| !word.prefix.starts_with("-i"))
        .cloned()
        .collect();
    written_words(&writer, &plain)
}

/// `perl -pi -e '…' files`.
pub(super) fn in_place(words: &[ShellWord]) -> Vec<ShellWord> {
    let cluster = |word: &ShellWord| {
        let is_short = word.prefix.starts_with('-') && !word.prefix.starts_with("--");
        is_short.then(|| {
            word.prefix[1..]
                .split(['e', 'E', 'M', 'I'])
                .next()
                .unwrap_or_default()
                .to_owned()
        })
    };
    if !words
        .iter()
        .filter_map(cluster)
        .any(|letters| letters.contains('i'))
    {
        return Vec::new();
    }
    let writer = WriterRule {
        valued: "eEMIi",
        ..PLAIN
    };
    let plain: Vec<ShellWord> = words
        .iter()
        .filter(|word| !word.prefix.starts_with("-i"))
        .cloned()
        .collect();
    let with_script = plain
        .iter()
        .any(|word| word.prefix.starts_with('-') && word.prefix.contains(['e', 'E']));
    let operands = if with_script {
        Operands::All
    } else {
        Operands::Rest
    };
    // `-pi -e` is read as `-p`, `-e`: the suffix of `-i` is attached or absent.
    let plain: Vec<ShellWord> = plain
        .into_iter()
        .map(|word| match word.exact_text() {
            Some(text) if text.starts_with('-') && text.ends_with('i') => {
                ShellWord::literal(text.trim_end_matches('i'))
            }
            _ => word,
        })
        .collect();
    written_words(&WriterRule { operands, ..writer }, &plain)
}

pub(super) fn dd(run: &PolicyRun<'_>, words: &[ShellWord], state: &ShellState) -> Result<(), Denial> {
    let outputs = words.iter().filter_map(|word| {
        let value = word.prefix.strip_prefix("of=")?;
        Some(rest_of(word, value))
    });
    outputs.into_iter().try_for_each(|word| target(run, &word, state))
}

/// Judges `ln`: the target of a symbolic link is relative to the link's own folder.
pub(super) fn link(run: &PolicyRun<'_>, words: &[ShellWord], state: &ShellState) -> Result<(), Denial> {
    const LINK: WriterRule = WriterRule {
        letters: "t",
        long: &["target-directory"],
        valued: "S",
        ..PLAIN
    };
    let sorted = sort(&LINK, words);
    let is_symbolic =
        sorted.letters.contains('s') || words.iter().any(|word| word.exact_text() == Some("--symbolic"));
    let mut sources = sorted.operands;
    let place = match sorted.values.into_iter().next() {
        Some(folder) => Some((folder, true)),
        None if sources.len() > 1 => {
            let is_folder = sources.len() > 2;
            sources.pop().map(|place| (place, is_folder))
        }
        None => None,
    };
    if let Some((place, _)) = &place {
        target(run, place, state)?;
    }
    for source in sources {
        let relative = source
            .exact_text()
            .filter(|path| is_symbolic && !path.starts_with('/') && !source.tilde);
        match (relative, &place) {
            (Some(path), Some((place, is_folder))) => {
                let Some(base) = place.exact_text() else { continue };
                let in_folder = *is_folder || base.ends_with('/') || is_existing_folder(state, base);
                let folder = match base.rsplit_once('/') {
                    _ if in_folder => base,
                    Some((folder, _)) => folder,
                    None => ".",
                };
                target(run, &ShellWord::literal(&format!("{folder}/{path}")), state)?;
            }
            _ => target(run, &source, state)?,
        }
    }
    Ok(())
}

fn is_existing_folder(state: &ShellState, path: &str) -> bool {
    let places = state.resolve(path).unwrap_or_default();
    places.iter().any(|place| place.is_dir())
}

/// `tar` writes its archive when it creates one, and below a folder when it extracts one.
pub(super) fn tar(run: &PolicyRun<'_>, words: &[ShellWord], state: &ShellState) -> Result<(), Denial> {
    const TAR: WriterRule = WriterRule {
        letters: "fC",
        long: &["file", "directory"],
        valued: "bgHKLNTVXI",
        ..PLAIN
    };
    // The first word may be a bundle of letters without a dash.
    let mut words = words.to_vec();
    if let Some(first) = words.first_mut()
        && let Some(bundle) = first.exact_text().filter(|text| !text.starts_with('-'))
    {
        *first = ShellWord::literal(&format!("-{bundle}"));
    }
    let long = |name: &str| words.iter().any(|word| word.exact_text() == Some(name));
    let letters = sort(&TAR, &words).letters;
    let extracts = letters.contains('x') || long("--extract") || long("--get");
    let creates =
        letters.contains(['c', 'r', 'u', 'A']) || long("--create") || long("--append") || long("--update");
    let only = |letter: &'static str, long: &'static [&'static str]| {
        let writer = WriterRule {
            operands: Operands::None,
            letters: letter,
            long,
            valued: "bgHKLNTVXIfC",
            ..PLAIN
        };
        written_words(&writer, &words)
    };
    if extracts {
        let folders = only("C", &["directory"]);
        folders.iter().try_for_each(|word| target(run, word, state))?;
        if folders.is_empty() && !letters.contains('O') {
            target(run, &ShellWord::literal("."), state)?;
        }
    }
    if creates {
        let archives = only("f", &["file"]);
        archives
            .iter()
            .filter(|word| word.exact_text() != Some("-"))
            .try_for_each(|word| target(run, word, state))?;
    }
    Ok(())
}
