//! Keeps planted text out of the evidence by its shape: chat turns, templates, tool calls, hidden markup,
//! addresses, orders to whoever answers.
//!
//! The main function is [`untrusted`], which marks passages of one document. It looks at markers, roles,
//! mood and addresses, not at a list of known attacks. A passage it marks is never quoted and never hopped
//! over; it still exists for people who open the file.

use std::sync::LazyLock;

use serde::Deserialize;

use super::text::words;
use crate::corpus::{BlockKind, Passage};

#[derive(Debug, Deserialize)]
struct Shapes {
    /// Words that name a party in a conversation with a model, and nothing else in ordinary documents.
    strong_roles: Vec<String>,
    /// Words that name such a party, but other things as well.
    weak_roles: Vec<String>,
    /// Headings of the instruction format used to train models.
    template_headings: Vec<String>,
    /// Beginnings of template tokens.
    template_tokens: Vec<String>,
    /// Words of a delimiter line.
    delimiters: Vec<String>,
    /// Verbs that set aside, or that order a citation.
    override_verbs: Vec<String>,
    /// What such an order is about.
    override_objects: Vec<String>,
    /// Words that may stand before the verb of an order.
    order_leads: Vec<String>,
    /// Keys of a tool call or a message in JSON.
    call_keys: Vec<String>,
    /// Ways to hide an element.
    hidden_styles: Vec<String>,
    /// Last labels of host names.
    host_endings: Vec<String>,
}

fn shapes() -> &'static Shapes {
    static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
        toml::from_str(include_str!("data/shapes.toml")).expect("the shapes file is read by a test")
    });
    &SHAPES
}

/// For every passage of a document, in reading order: true when it is no evidence.
pub(crate) fn untrusted(passages: &[Passage]) -> Vec<bool> {
    let mut marks = vec![false; passages.len()];
    let mut open = Region::Closed;
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
        let boundary = boundary(text);
        let starts_inside = matches!(open, Region::Delimited | Region::Section)
            || passage.heading.as_deref().and_then(template_heading) == Some(TemplateHeading::Opens);
        marks[idx] = starts_inside || boundary != Boundary::None || is_planted(text);
        open = match (open, boundary) {
            (_, Boundary::Opens) => Region::Delimited,
            (_, Boundary::Closes) => Region::Closed,
            // A section of the instruction format ends with its first block: what follows is the document again.
            (Region::Section, Boundary::None) => Region::AfterSection,
            (region, Boundary::None) => region,
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

/// One block speaks to a machine: turns, templates, tool calls, hidden text, orders.
pub(crate) fn is_scripted(text: &str) -> bool {
    has_template_token(text)
        || has_hidden_markup(text)
        || is_tool_call(text)
        || text.lines().any(is_role_line)
        || has_template_lines(text)
        || gives_orders(text)
}

fn boundary(text: &str) -> Boundary {
    let mut last = Boundary::None;
    for line in text.lines() {
        if let Some(found) = delimiter(line) {
            last = found;
        }
        if let Some(found) = last_token(&line.to_lowercase()) {
            last = found;
        }
    }
    last
}

/// Whether the last template token of a line opens or closes a turn.
fn last_token(lower: &str) -> Option<Boundary> {
    let (at, token) = shapes()
        .template_tokens
        .iter()
        .filter(|token| *token != "|>")
        .filter_map(|token| lower.rfind(token.as_str()).map(|at| (at, token)))
        .max_by_key(|(at, _)| *at)?;
    let rest = &lower[at + token.len()..];
    let is_end = token.contains('/')
        || token.contains("end")
        || token == "<|"
            && (rest.starts_with("im_end")
                || rest.starts_with("end")
                || rest.starts_with("eot")
                || rest.starts_with('/'));
    Some(if is_end { Boundary::Closes } else { Boundary::Opens })
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
    let lower = text.to_lowercase();
    shapes()
        .template_tokens
        .iter()
        .any(|token| lower.contains(token.as_str()))
        || text.lines().any(|line| delimiter(line).is_some())
}

fn has_template_lines(text: &str) -> bool {
    text.lines()
        .filter(|line| line.trim_start().starts_with('#'))
        .any(|line| template_heading(line) == Some(TemplateHeading::Opens))
}

fn has_hidden_markup(text: &str) -> bool {
    if text.contains("<!--") {
        return true;
    }
    let compact: String = text.to_lowercase().split_whitespace().collect();
    compact.contains('<')
        && shapes()
            .hidden_styles
            .iter()
            .any(|style| compact.contains(style.as_str()))
}

/// A JSON object that names a tool, its arguments or a role.
fn is_tool_call(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_key = |key: &String| lower.contains(&format!("\"{key}\""));
    lower.contains('{') && shapes().call_keys.iter().filter(|key| has_key(key)).count() >= 2
}

/// "Assistant: …", "[system] …", "NOTE TO AI READERS: …" at the start of a line.
fn is_role_line(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '>' | '*' | '-' | '#' | '_' | '`' | '"' | '“')
    });
    let (label, rest) = match line.strip_prefix(['[', '(', '<', '{']) {
        Some(inner) => match inner.split_once([']', ')', '>', '}']) {
            Some(parts) => parts,
            None => return false,
        },
        None => match line.split_once([':', '：']) {
            Some(parts) => parts,
            None => return false,
        },
    };
    let tokens = words(label);
    if tokens.is_empty() || tokens.len() > 6 || label.len() > 60 {
        return false;
    }
    let known = |list: &[String]| tokens.iter().any(|word| list.contains(&word.lower));
    if known(&shapes().strong_roles) {
        return true;
    }
    let is_label_alone = tokens.len() <= 2 && shapes().weak_roles.contains(&tokens[0].lower);
    let is_shouted = label.chars().any(char::is_alphabetic) && label.chars().all(|c| !c.is_lowercase());
    let is_bracketed = line.starts_with(['[', '<', '{']);
    is_label_alone && (is_shouted || is_bracketed || addresses_reader(rest))
}

fn addresses_reader(text: &str) -> bool {
    words(text).iter().any(|word| {
        matches!(
            word.lower.as_str(),
            "you" | "your" | "you're" | "i" | "i'm" | "du" | "sie" | "你" | "您"
        )
    })
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
                || speaks_to_machine
                || orders_without_spaces(sentence)
        })
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

/// An address of another machine, outside a Markdown link: with a scheme, or a bare host name.
pub(crate) fn has_foreign_address(text: &str) -> bool {
    let lower = without_link_targets(&text.to_lowercase());
    let has_scheme = lower.match_indices("://").any(|(at, _)| {
        let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '.' | '-' | '[');
        let host: String = lower[at + 3..].chars().take_while(is_part).collect();
        let is_local = ["localhost", "127.", "0.0.0.0", "["]
            .iter()
            .any(|local| host.starts_with(local));
        !is_local && !host.is_empty()
    });
    has_scheme || has_host_name(&lower)
}

/// "[text](https://…)": the reader sees the text only; a span with such a target is still not quoted.
fn without_link_targets(lower: &str) -> String {
    let mut kept = String::with_capacity(lower.len());
    let mut rest = lower;
    while let Some(at) = rest.find("](") {
        kept.push_str(&rest[..at + 1]);
        rest = rest[at + 2..].split_once(')').map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

fn has_host_name(lower: &str) -> bool {
    as_rendered(lower)
        .split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '(' | ')'
                        | '"'
                        | '\''
                        | '`'
                        | ','
                        | ';'
                        | '<'
                        | '>'
                        | '['
                        | ']'
                        | '='
                        | ':'
                        | '/'
                        | '@'
                        | '，'
                        | '。'
                )
        })
        .map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()))
        .any(is_host)
}

/// The text as a reader of the rendered page sees it, as far as names of machines go.
fn as_rendered(lower: &str) -> String {
    let dots = ["&#46;", "&#x2e;", "&period;"];
    let plain = dots
        .iter()
        .fold(lower.to_owned(), |text, dot| text.replace(dot, "."));
    plain.replace(['*', '_'], "")
}

/// A lower-case word is the name or number of a machine.
pub(crate) fn is_host(token: &str) -> bool {
    let labels: Vec<&str> = token.split('.').collect();
    let are_labels = labels
        .iter()
        .all(|label| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-'));
    if labels.len() < 2 || !are_labels {
        return false;
    }
    let is_ip = labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    let has_name = labels[0].chars().any(char::is_alphabetic);
    let ending = labels[labels.len() - 1];
    is_ip || has_name && shapes().host_endings.iter().any(|known| known == ending)
}

/// A span with any address in it is never quoted, wherever the address points.
pub(crate) fn holds_address(span: &str) -> bool {
    let lower = span.to_lowercase();
    lower.contains("://") || lower.contains("www.") || has_host_name(&lower)
}
