//! Four common ways to shorten a conversation, to hold ours against. Each may fill the limit by the real vocabulary.

use gemicro_core::history::{Author, ConversationLog, Turn};
use gemicro_core::tokens::TokenCount;

/// A way to make a prompt of a conversation within a limit.
pub(crate) type Rival = fn(&dyn TokenCount, &ConversationLog, u64) -> String;

/// All of them, by name.
pub(crate) const RIVALS: [(&str, Rival); 4] = [
    ("last turns", last_turns),
    ("summary + last 8", summary),
    ("labelled template", template),
    ("keywords + last 8", keywords),
];

const N_RECENT: usize = 8;

/// As many of the last turns as fit.
fn last_turns(counter: &dyn TokenCount, log: &ConversationLog, limit: u64) -> String {
    let turns: Vec<String> = log.turns().iter().map(labelled).collect();
    newest_within(counter, &turns, limit).join("")
}

/// The first sentence of every older message, the newest as far as there is room, and the last eight turns.
fn summary(counter: &dyn TokenCount, log: &ConversationLog, limit: u64) -> String {
    let sentences = |turn: &Turn| match turn.author {
        Author::Tool => Vec::new(),
        Author::User | Author::Assistant | Author::System => {
            vec![first_sentence(&turn.text).to_owned() + "\n"]
        }
    };
    with_recent(counter, log, limit, sentences)
}

/// Sentences with a telling word, the newest as far as there is room, and the last eight turns.
fn keywords(counter: &dyn TokenCount, log: &ConversationLog, limit: u64) -> String {
    const TELLING: [&str; 16] = [
        "must",
        "never",
        "always",
        "do not",
        "don't",
        "only",
        "decided",
        "decision",
        "we will",
        "instead of",
        "done",
        "finished",
        "merged",
        "必须",
        "不要",
        "决定",
    ];
    let sentences = |turn: &Turn| {
        if turn.author == Author::Tool {
            return Vec::new();
        }
        let sentences = sentences(&turn.text).into_iter();
        let is_telling = |sentence: &&str| {
            let small = sentence.to_lowercase();
            TELLING.iter().any(|word| small.contains(word))
        };
        sentences
            .filter(is_telling)
            .map(|sentence| format!("{sentence}\n"))
            .collect()
    };
    with_recent(counter, log, limit, sentences)
}

/// What users of stateless programs write by hand: one paragraph for all that is old, the last eight messages with
/// labels, the message at hand. Sizes are guessed: four characters a token.
pub(crate) fn template(_: &dyn TokenCount, log: &ConversationLog, limit: u64) -> String {
    const PARAGRAPH: usize = 1_200;
    let Some((current, before)) = log.turns().split_last() else {
        return String::new();
    };
    let recent_from = before.len().saturating_sub(N_RECENT);
    let mut paragraph = String::new();
    for turn in before[..recent_from]
        .iter()
        .filter(|turn| turn.author == Author::User)
    {
        let sentence = first_sentence(&turn.text);
        if paragraph.len() + sentence.len() < PARAGRAPH {
            paragraph += sentence;
            paragraph.push(' ');
        }
    }
    let mut recent: Vec<String> = before[recent_from..].iter().map(labelled).collect();
    loop {
        let prompt = format!(
            "You help with a software project.\n\n## Summary\n{paragraph}\n\n## Recent messages\n{}## Message\n{}",
            recent.concat(),
            current.text
        );
        if prompt.chars().count() as u64 / 4 <= limit || recent.is_empty() {
            return prompt;
        }
        recent.remove(0);
    }
}

/// The last eight turns, and before them what `sentences` takes from the older ones.
fn with_recent(
    counter: &dyn TokenCount,
    log: &ConversationLog,
    limit: u64,
    sentences: impl Fn(&Turn) -> Vec<String>,
) -> String {
    let turns = log.turns();
    let (older, recent) = turns.split_at(turns.len().saturating_sub(N_RECENT));
    let recent: Vec<String> = recent.iter().map(labelled).collect();
    let recent = newest_within(counter, &recent, limit).concat();
    let older: Vec<String> = older.iter().flat_map(sentences).collect();
    let left = limit.saturating_sub(counter.tokens(&recent));
    newest_within(counter, &older, left).concat() + &recent
}

fn labelled(turn: &Turn) -> String {
    let label = match turn.author {
        Author::User | Author::System => "User",
        Author::Assistant => "Assistant",
        Author::Tool => "Tool",
    };
    format!("{label}: {}\n\n", turn.text)
}

/// The last texts that fit together.
fn newest_within<'a>(counter: &dyn TokenCount, texts: &'a [String], limit: u64) -> Vec<&'a str> {
    let mut left = limit;
    let mut kept = Vec::new();
    for text in texts.iter().rev() {
        let Some(rest) = left.checked_sub(counter.tokens(text)) else {
            break;
        };
        left = rest;
        kept.push(text.as_str());
    }
    kept.reverse();
    kept
}

fn first_sentence(text: &str) -> &str {
    sentences(text).into_iter().next().unwrap_or_default()
}

fn sentences(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(|line| {
            line.split_inclusive(". ")
                .flat_map(|part| part.split_inclusive('。'))
        })
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
        .collect()
}
