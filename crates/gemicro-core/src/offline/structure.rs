//! Keeps planted text out of the evidence by its shape: chat turns, templates, tool calls, hidden markup, words of
//! mixed scripts, addresses, orders to the model.
//!
//! The main function is [`untrusted`], which marks passages of one document. It looks at markers, roles,
//! mood and addresses, not at a list of known attacks. A passage it marks is never quoted and never hopped
//! over; it still exists for people who open the file. A tag that is only mentioned, as inline code, marks nothing.

use std::sync::LazyLock;

use serde::Deserialize;

use super::addresses::has_foreign_address;
use super::chat_frames::{is_framed, is_tool_call, markers, without_mentions};
use super::mixed_scripts::mixes_scripts;
use super::text::words;
use crate::corpus::{BlockKind, Passage};

#[derive(Debug, Deserialize)]
pub(super) struct Shapes {
    /// Words that name a party in a conversation with a model, and nothing else in ordinary documents.
    pub(super) strong_roles: Vec<String>,
    /// Words that name such a party, but other things as well.
    pub(super) weak_roles: Vec<String>,
    /// Headings of the instruction format used to train models.
    template_headings: Vec<String>,
    /// Beginnings of template tokens.
    pub(super) template_tokens: Vec<String>,
    /// Words of a delimiter line.
    delimiters: Vec<String>,
    /// Verbs that set aside, or that order a citation.
    override_verbs: Vec<String>,
    /// What such an order is about.
    override_objects: Vec<String>,
    /// Words that may stand before the verb of an order.
    order_leads: Vec<String>,
    /// Keys of a tool call or a message in JSON.
    pub(super) call_keys: Vec<String>,
    /// Ways to hide an element.
    hidden_styles: Vec<String>,
    /// Parties in the names of tags that frame text for a model, and what they call.
    pub(super) tag_parties: Vec<String>,
    /// What such parties send, in the names of tags.
    pub(super) tag_messages: Vec<String>,
    /// Names of tags that are enough by themselves, and mean nothing else where they occur as a tag.
    pub(super) tags: Vec<String>,
    /// Last labels of host names.
    pub(super) host_endings: Vec<String>,
}

pub(super) fn shapes() -> &'static Shapes {
    static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
        toml::from_str(include_str!("data/shapes.toml")).expect("the shapes file is read by a test")
    });
    &SHAPES
}

/// For every passage of a document, in reading order: true when it is no evidence.
pub(crate) fn untrusted_passages(passages: &[Passage]) -> Vec<bool> {
    let mut marks = vec![false; passages.len()];
    let mut open = Region::Closed;
    let boundaries: Vec<Boundary> = passages.iter().map(boundary).collect();
    let last_end = boundaries.iter().rposition(|it| *it == Boundary::Closes);
    for (idx, passage) in passages.iter().enumerate() {
        let text = passage.text.as_str();
        let is_heading = passage.kind == BlockKind::Heading;
        if is_heading {
            open = match (open, template_heading(text)) {
                (Region::Delimited, _) => Region::Delimited,
                (_, Some(TemplateHeading::Opens)) => Region::Section,
                (Region::Section | Region::AfterSection, Some(TemplateHeading::Continues)) => Region::Section,
                _ => Region::Closed,
            };
            marks[idx] = open != Region::Closed || is_planted(text);
            continue;
        }
        let boundary = boundaries[idx];
        let starts_inside = matches!(open, Region::Delimited | Region::Section)
            || passage.heading.as_deref().and_then(template_heading) == Some(TemplateHeading::Opens);
        marks[idx] = starts_inside || boundary != Boundary::None || is_planted(text);
        open = match (open, boundary) {
            (_, Boundary::Opens) => Region::Delimited,
            (_, Boundary::OpensIfClosed) if last_end.is_some_and(|end| end > idx) => Region::Delimited,
            (_, Boundary::Closes) => Region::Closed,
            // A section of the instruction format ends with its first block: what follows is the document again.
            (Region::Section, Boundary::None | Boundary::OpensIfClosed) => Region::AfterSection,
            (region, Boundary::None | Boundary::OpensIfClosed) => region,
        };
    }
    marks
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    Closed,
    /// Between an opening marker and its end.
    Delimited,
    /// Below a heading of the instruction format.
    Section,
    /// Behind the first block of such a section: only its next heading goes on with it.
    AfterSection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Boundary {
    None,
    Opens,
    /// A marker inside a line: a sentence that names one, unless its end follows.
    OpensIfClosed,
    Closes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TemplateHeading {
    /// "Instruction": nothing before it is needed.
    Opens,
    /// "Response", "Input": only after an opening one.
    Continues,
}

fn template_heading(text: &str) -> Option<TemplateHeading> {
    let bare = text
        .trim()
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    if !shapes().template_headings.contains(&bare) {
        return None;
    }
    let continues = ["response", "input", "output", "answer"]
        .iter()
        .any(|word| bare.starts_with(word));
    Some(if continues {
        TemplateHeading::Continues
    } else {
        TemplateHeading::Opens
    })
}

/// One block is planted, whatever stands around it.
pub(crate) fn is_planted(text: &str) -> bool {
    is_scripted(text) || has_foreign_address(text)
}

/// One block speaks to a machine: turns, templates, tool calls, hidden or disguised text, orders.
pub(crate) fn is_scripted(text: &str) -> bool {
    let text = &without_mentions(text);
    has_template_token(text)
        || has_hidden_markup(text)
        || is_tool_call(text)
        || is_framed(text)
        || has_template_lines(text)
        || gives_orders(text)
        || mixes_scripts(text)
}

fn boundary(passage: &Passage) -> Boundary {
    // What a code block opens, its end closes.
    if passage.kind == BlockKind::Code {
        return Boundary::None;
    }
    let text = without_mentions(&passage.text);
    let mut last = Boundary::None;
    for line in text.lines() {
        if let Some(found) = delimiter(line) {
            last = found;
        }
        if let Some(marker) = markers(line).last() {
            let before =
                line[..marker.at].trim_start_matches(|c: char| c.is_whitespace() || ">*-#_\"".contains(c));
            last = match (marker.is_end, before) {
                (true, _) => Boundary::Closes,
                (false, "") => Boundary::Opens,
                (false, _) => Boundary::OpensIfClosed,
            };
        }
    }
    last
}

/// "%%% BEGIN USER MESSAGE %%%", "--- END OF CONTEXT ---": signs, words in capitals, signs.
fn delimiter(line: &str) -> Option<Boundary> {
    let line = line.trim();
    let core = line.trim_matches(|c: char| !c.is_alphanumeric());
    let n_signs_before = line.find(core).unwrap_or(0);
    let tokens = words(core);
    let is_shape = n_signs_before >= 2
        && line.len() > n_signs_before + core.len()
        && (2..=8).contains(&tokens.len())
        && core.chars().all(|c| !c.is_lowercase());
    if !is_shape {
        return None;
    }
    let position = tokens
        .iter()
        .find_map(|word| shapes().delimiters.iter().position(|known| *known == word.lower))?;
    Some(
        if shapes().delimiters[position].starts_with("end")
            || shapes().delimiters[position].starts_with("stop")
        {
            Boundary::Closes
        } else {
            Boundary::Opens
        },
    )
}

fn has_template_token(text: &str) -> bool {
    !markers(text).is_empty() || text.lines().any(|line| delimiter(line).is_some())
}

fn has_template_lines(text: &str) -> bool {
    text.lines()
        .filter(|line| line.trim_start().starts_with('#'))
        .any(|line| template_heading(line) == Some(TemplateHeading::Opens))
}

/// "f&#8203;ee": a character without width, by its number or name, inside a word of a script that needs none.
fn is_hiding_entity(text: &str, at: usize) -> bool {
    let Some((name, after)) = text[at + 1..].split_once(';') else {
        return false;
    };
    let number = name.strip_prefix('#').and_then(|number| {
        let hex = number.strip_prefix(['x', 'X']);
        hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())
    });
    let has_no_width = match number {
        Some(number) => {
            matches!(number, 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2064 | 0xfeff | 0xe0000..=0xe007f)
        }
        None => matches!(
            name,
            "zwj" | "zwnj" | "ZeroWidthSpace" | "NoBreak" | "lrm" | "rlm"
        ),
    };
    let is_letter =
        |c: Option<char>| c.is_some_and(|c| c.is_lowercase() || c.is_uppercase() || c.is_ascii_digit());
    has_no_width && is_letter(text[..at].chars().next_back()) && is_letter(after.chars().next())
}

fn has_hidden_markup(text: &str) -> bool {
    if text.contains("<!--") || text.match_indices('&').any(|(at, _)| is_hiding_entity(text, at)) {
        return true;
    }
    let compact: String = text.to_lowercase().split_whitespace().collect();
    compact.contains('<')
        && shapes()
            .hidden_styles
            .iter()
            .any(|style| compact.contains(style.as_str()))
}

/// A sentence in the mood of an order that sets sources or instructions aside, or orders a citation.
fn gives_orders(text: &str) -> bool {
    let shapes = shapes();
    super::sentence::sentences(text, BlockKind::Paragraph)
        .into_iter()
        .any(|range| {
            let sentence = &text[range];
            let tokens = words(sentence);
            let verb_at = tokens
                .iter()
                .position(|word| !shapes.order_leads.contains(&word.lower));
            let Some(verb_at) = verb_at.filter(|at| *at <= 4) else {
                return false;
            };
            let is_order = shapes.override_verbs.contains(&tokens[verb_at].lower);
            let is_about = |word: &super::text::Word| shapes.override_objects.contains(&word.lower);
            let names_machine = tokens.iter().any(|word| {
                shapes.strong_roles.contains(&word.lower) || word.lower.ends_with("bot") && word.capital
            });
            let speaks_to_machine = names_machine
                && tokens
                    .iter()
                    .any(|word| matches!(word.lower.as_str(), "you" | "your" | "must" | "should"));
            (is_order && tokens[verb_at + 1..].iter().any(is_about))
                || runs_before_answering(&tokens[verb_at..])
                || speaks_to_machine
                || orders_without_spaces(sentence)
        })
}

/// "Run the tool before you answer": an order, in a sentence that says when the reader answers.
fn runs_before_answering(tokens: &[super::text::Word]) -> bool {
    let is = |word: &super::text::Word, list: &[&str]| list.contains(&word.lower.as_str());
    let is_order = tokens.first().is_some_and(|verb| {
        is(
            verb,
            &[
                "run", "call", "use", "invoke", "execute", "open", "fetch", "read", "load",
            ],
        )
    });
    let answers = |pair: &[super::text::Word]| {
        is(&pair[0], &["you"]) && is(&pair[1], &["answer", "reply", "respond", "cite"])
    };
    is_order && tokens.windows(2).any(answers)
}

/// The same in scripts without spaces or with joined particles: verb and object in one sentence.
fn orders_without_spaces(sentence: &str) -> bool {
    let shapes = shapes();
    if sentence.is_ascii() {
        return false;
    }
    let holds = |list: &[String]| {
        list.iter()
            .any(|word| !word.is_ascii() && sentence.contains(word.as_str()))
    };
    holds(&shapes.override_verbs) && holds(&shapes.override_objects)
}
