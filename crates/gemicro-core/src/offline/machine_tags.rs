//! Tags that frame text for a model: `<system>`, `<tool_call>`, `<function-results>`. See [`is_machine_tag`].
//!
//! A name counts when all its words are about the parties and messages of a conversation with a model. So
//! `<user_message>` counts and `<user-id>`, a placeholder, does not.

use super::structure::shapes;

/// How surely a tag frames text for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MachineTag {
    /// Whatever is around it.
    Sure,
    /// Only together with its end tag.
    WithEnd,
}

/// Whether an element of this name frames text for a model. No page or Markdown file has such an element for readers.
#[must_use]
pub fn is_machine_tag(name: &str) -> bool {
    machine_tag(name).is_some()
}

/// What a tag of this name is; `None` for all others.
pub(crate) fn machine_tag(name: &str) -> Option<MachineTag> {
    let name = name.to_ascii_lowercase();
    // A prefix such as in `<chat:invoke>` belongs to the framing.
    let local = name.rsplit(':').next().unwrap_or(&name);
    if contains(&shapes().tags, local) {
        return Some(MachineTag::Sure);
    }
    // Such names are placeholders as well, as in `--model <model>`.
    if contains(&shapes().tag_parties, local) || local == "parameter" {
        return Some(MachineTag::WithEnd);
    }
    let words: Vec<&str> = local
        .split(['_', '-', '.', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    let is_party = |word: &&str| contains(&shapes().tag_parties, word);
    let is_known = |word: &&str| is_party(word) || contains(&shapes().tag_messages, word);
    let is_framing = words.len() >= 2
        && words.iter().all(is_known)
        && (words.iter().any(is_party)
            || ["turn", "instruction", "instructions", "prompt"]
                .iter()
                .any(|it| words.contains(it)));
    is_framing.then_some(MachineTag::Sure)
}

fn contains(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

/// A marker that begins or ends text for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) at: usize,
    pub(crate) is_end: bool,
}

/// The tags of a text that frame it for a model, in order. Signs that look like `<` and `>`, and their names as
/// entities, count as well, and so do names in brackets such as `[TOOL_RESULTS]` and `[tool_call: …]`.
pub(crate) fn tags(text: &str) -> Vec<Marker> {
    let mut found: Vec<(Marker, String, MachineTag)> = Vec::new();
    for (at, _) in text.match_indices(|c| "<[{(&＜‹〈⟨".contains(c)) {
        let Some((name, is_end)) = tag_at(&text[at..]) else {
            continue;
        };
        let is_end = is_end || name.starts_with("end");
        if let Some(kind) = machine_tag(name) {
            found.push((Marker { at, is_end }, name.to_ascii_lowercase(), kind));
        }
    }
    let has_end = |name: &str| {
        found
            .iter()
            .any(|(marker, other, _)| marker.is_end && other == name)
    };
    found
        .iter()
        .filter(|(_, name, kind)| *kind == MachineTag::Sure || has_end(name))
        .map(|(marker, _, _)| *marker)
        .collect()
}

/// The name of the tag that a text begins with, and whether it is an end tag.
fn tag_at(text: &str) -> Option<(&str, bool)> {
    const OPENING: &[&str] = &["<", "&lt;", "&#60;", "＜", "‹", "〈", "⟨"];
    const CLOSING: &[&str] = &[">", "&gt;", "&#62;", "＞", "›", "〉", "⟩"];
    if let Some(inside) = text.strip_prefix(['[', '{', '(']) {
        return bracketed_name(inside, text.starts_with('['));
    }
    let open = OPENING.iter().find(|mark| text.starts_with(**mark))?;
    let inside = text[open.len()..].trim_start();
    let name = inside.trim_start_matches('/').trim_start();
    let is_name = |c: char| is_name(c) || c == ':';
    let (name, rest) = name.split_at(name.find(|c: char| !is_name(c)).unwrap_or(name.len()));
    // Attributes may follow, on the same line.
    let ends = |mark: &&str| rest.starts_with(*mark);
    let has_end = |mark: &&str| rest.lines().next().is_some_and(|line| line.contains(*mark));
    let is_tag =
        CLOSING.iter().any(ends) || rest.starts_with([' ', '\t', '/']) && CLOSING.iter().any(has_end);
    is_tag.then_some((name, inside.starts_with('/')))
}

/// The name after a bracket: `[TOOL_RESULTS]`, `[tool_call name=…]`, and with a colon in every bracket, as in
/// `{tool_call: …}`. Its words are joined as only programs join them, except in `[tool call: …]`.
fn bracketed_name(inside: &str, is_square: bool) -> Option<(&str, bool)> {
    let inside = inside.trim_start();
    let name = inside.trim_start_matches('/').trim_start();
    let end_of = |is_part: fn(char) -> bool| name.find(|c| !is_part(c)).unwrap_or(name.len());
    let (words, after) = name.split_at(end_of(|c| is_name(c) || c == ' '));
    if is_square && after.starts_with(':') && words.trim_end().contains(' ') {
        return Some((words.trim_end(), inside.starts_with('/')));
    }
    let (name, rest) = name.split_at(end_of(is_name));
    let rest = rest.trim_start();
    let has_attributes = || rest.split([']', '\n']).next().is_some_and(|it| it.contains('='));
    let is_frame = rest.starts_with(':') || is_square && (rest.starts_with([']', '(']) || has_attributes());
    (is_frame && name.contains(['_', '-'])).then_some((name, inside.starts_with('/')))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}
