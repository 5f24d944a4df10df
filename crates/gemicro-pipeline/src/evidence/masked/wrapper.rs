//! Looks through programs that start another one and hand its exit status on: `timeout 10 pytest`.

use super::options;
use super::table;
use super::word::Word;
use super::wrapper_table::{self, Wrapper};

/// A command without the programs that only start it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peeled<'w> {
    /// The words from the program on that does the work.
    pub(super) words: &'w [Word],
    /// Whether a runner looks the name up, so that it is never that of a builtin: `hatch run test`.
    pub(super) by_runner: bool,
    /// Whether another program starts it, so that it is none of the shell's own commands: `env exit 1`.
    pub(super) is_started: bool,
}

/// The words from the program on that does the work.
pub(super) fn peeled(words: &[Word]) -> Peeled<'_> {
    let mut peeled = Peeled {
        words,
        by_runner: false,
        is_started: false,
    };
    while let Some((rest, by_runner)) = inside(peeled.words) {
        let starts = |word: &Word| !matches!(word.known(), Some("builtin" | "command"));
        peeled = Peeled {
            words: rest,
            by_runner,
            is_started: peeled.is_started || peeled.words.first().is_some_and(starts),
        };
    }
    peeled
}

/// What a wrapper starts, and whether that is a runner; nothing when the first word is none, or starts nothing.
fn inside(words: &[Word]) -> Option<(&[Word], bool)> {
    let name = words.first()?.program()?;
    // `runuser name -c text` is one for a text.
    let names_user = || {
        words
            .iter()
            .filter_map(Word::known)
            .any(|word| word.starts_with("-u") || word.starts_with("--user"))
    };
    if (name == "setsid" && !waits(words)) || (name == "runuser" && !names_user()) {
        return None;
    }
    if name == "python" {
        return Some((module(words)?, true));
    }
    let starts = |wrapper: &&Wrapper| wrapper.name == name;
    let mut wrappers = wrapper_table::WRAPPERS.iter().filter(starts);
    wrappers.find_map(|wrapper| Some((started_by(wrapper, words)?, wrapper.looks_up)))
}

fn started_by<'w>(wrapper: &Wrapper, words: &'w [Word]) -> Option<&'w [Word]> {
    let mut at = 1;
    for verb in wrapper.verbs.split_whitespace() {
        at = after_options(wrapper, words, at, false)?;
        let is_verb = verb
            .split('|')
            .any(|verb| words.get(at).and_then(Word::known) == Some(verb));
        at = is_verb.then_some(at + 1)?;
    }
    if !wrapper.markers.is_empty() {
        let is_marker = |word: &Word| word.known().is_some_and(|text| table::has(wrapper.markers, text));
        let marker = at + words.iter().skip(at).position(is_marker)?;
        let changes = |word: &Word| {
            word.known()
                .is_some_and(|text| options::changes(wrapper.name, text, None))
        };
        let is_changed = words[at..marker].iter().any(changes);
        return program(words.get(marker + 1..)?).filter(|_| !is_changed);
    }
    let end = after_options(wrapper, words, at, true)?;
    program(words.get(end + wrapper.n_operands..)?)
}

/// `python3 -X dev -m pytest`: a module is a program like any other.
fn module(words: &[Word]) -> Option<&[Word]> {
    let mut at = 1;
    loop {
        let option = words.get(at)?.known()?;
        let group = option.strip_prefix('-').filter(|group| !group.contains('c'))?;
        if options::changes("python", option, None) {
            return None;
        }
        if group.ends_with('m') {
            return program(words.get(at + 1..)?);
        }
        at += if matches!(group, "W" | "X") { 2 } else { 1 };
    }
}

/// Nothing when no program follows, as in `flock file -c text`.
fn program(rest: &[Word]) -> Option<&[Word]> {
    let rest = match rest.first().and_then(Word::known) {
        Some("--") => rest.get(1..)?,
        Some(_) | None => rest,
    };
    let starts = rest.first().is_some_and(|word| !word.source.starts_with('-'));
    starts.then_some(rest)
}

/// Where the options of a wrapper end; nothing when one of them changes what it does.
fn after_options(wrapper: &Wrapper, words: &[Word], from: usize, may_assign: bool) -> Option<usize> {
    let name = wrapper.name;
    let mut at = from;
    while let Some(word) = words.get(at) {
        let assigns = may_assign && matches!(name, "doas" | "env" | "sudo") && word.source.contains('=');
        if assigns {
            at += 1;
            continue;
        }
        let Some(text) = word.known().or_else(|| written_option(word)) else {
            return Some(at);
        };
        if !text.starts_with(['-', '+']) || text.len() < 2 {
            return Some(at);
        }
        if text == "--" {
            return Some(at + 1);
        }
        // `command -v` and `command -V` only look.
        let looks = name == "command" && text != "-p";
        let next = words.get(at + 1).and_then(Word::known);
        if looks || options::changes(name, text, next) || (name == "env" && splits(text)) {
            return None;
        }
        at += if wrapper.takes_next(text) { 2 } else { 1 };
    }
    Some(at)
}

/// An option of which only the value is not known: `--user=$USER`.
fn written_option(word: &Word) -> Option<&str> {
    word.source.starts_with('-').then_some(word.source.as_str())
}

/// `env -S text`: the text is taken apart by `env` itself.
pub(super) fn splits(option: &str) -> bool {
    option.starts_with("--split") || options::has_flag(option, "S", "Cu")
}

/// Whether `setsid` waits for what it starts.
pub(super) fn waits(words: &[Word]) -> bool {
    let mut own = words
        .iter()
        .skip(1)
        .map_while(Word::known)
        .take_while(|word| word.starts_with('-'));
    own.any(|option| option == "--wait" || options::has_flag(option, "w", ""))
}
