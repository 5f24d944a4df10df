//! What consecutive prompts have in common, and what a provider's prompt cache makes of it.

use std::error::Error;

use gemicro_core::history::{Author, ConversationLog};
use gemicro_core::tokens::TokenCount;

use super::corpus::history;
use super::rivals::template;
use super::table;
use super::vocabulary::Vocabulary;

const LIMIT: u64 = 16_000;
/// Shorter beginnings are not cached.
const FLOOR: u64 = 4_096;
const N_TURNS: u64 = 100;

/// A prompt at the end of a turn.
struct Sent {
    turn: u64,
    /// Zero for prompts without epochs.
    epoch: u64,
    /// Whether a model would be called now: the turn is not its own.
    is_call: bool,
    text: String,
}

/// Prints the common prefixes, the breaks and the simulated cache.
pub(crate) fn run(vocabulary: &Vocabulary, log: &ConversationLog) -> Result<(), Box<dyn Error>> {
    println!("common prefix of consecutive prompts, one per turn, {LIMIT} tokens");
    let ours = ours(log)?;
    let theirs = templates(vocabulary, log);
    table::print(
        &[
            "way",
            "least in an epoch",
            "bar 0.95",
            "breaks",
            "most in 8 turns",
            "bar 1",
        ],
        &[
            stability("gemicro", &ours),
            stability("labelled template", &theirs),
        ],
    );
    println!(
        "\nsimulated cache: tokens of the longest beginning that an earlier call had as well, from {FLOOR} on; \
         calls are the turns of user and tools"
    );
    let from = first_above_floor(vocabulary, &ours);
    let mut rows = Vec::new();
    for (name, sent) in [("gemicro", &ours), ("labelled template", &theirs)] {
        let calls: Vec<&Sent> = sent.iter().filter(|sent| sent.is_call).collect();
        rows.push(cache(vocabulary, name, &calls, from, from + N_TURNS - 1));
        rows.push(cache(vocabulary, name, &calls, from, log.len()));
        rows.push(cache(vocabulary, name, &calls, 1, log.len()));
    }
    table::print(
        &[
            "way",
            "turns",
            "calls",
            "prompt tokens",
            "cached",
            "share",
            "bar 0.85",
        ],
        &rows,
    );
    println!("  the bar is for the first {N_TURNS} turns from which a prompt has {FLOOR} tokens");
    Ok(())
}

fn ours(log: &ConversationLog) -> Result<Vec<Sent>, Box<dyn Error>> {
    let mut history = history(LIMIT);
    let mut sent = Vec::new();
    for turn in log.turns() {
        history.add_turn(turn.clone());
        let text = history.prompt()?.prompt;
        sent.push(Sent {
            turn: turn.number,
            epoch: history.plan().map_or(0, |plan| plan.epoch),
            is_call: turn.author != Author::Assistant,
            text,
        });
    }
    Ok(sent)
}

fn templates(vocabulary: &Vocabulary, log: &ConversationLog) -> Vec<Sent> {
    let turns = log.turns().iter();
    turns
        .map(|turn| Sent {
            turn: turn.number,
            epoch: 0,
            is_call: turn.author != Author::Assistant,
            text: template(vocabulary, &log.cut_after(turn.number), LIMIT),
        })
        .collect()
}

/// The least share that a prompt keeps of the one before in its epoch, and how often it keeps less than 95 %.
fn stability(name: &str, sent: &[Sent]) -> Vec<String> {
    let mut least: f64 = 1.0;
    let mut breaks = Vec::new();
    for pair in sent.windows(2) {
        let kept = table::ratio(
            common(&pair[0].text, &pair[1].text) as u64,
            pair[0].text.len() as u64,
        );
        if pair[0].epoch == pair[1].epoch {
            least = least.min(kept);
        }
        if kept < 0.95 {
            breaks.push(pair[1].turn);
        }
    }
    let near = |&turn: &u64| {
        breaks
            .iter()
            .filter(|&&other| (turn..turn + 8).contains(&other))
            .count()
    };
    let most = breaks.iter().map(near).max().unwrap_or(0);
    vec![
        name.to_owned(),
        format!("{least:.3}"),
        table::verdict(least >= 0.95).to_owned(),
        breaks.len().to_string(),
        most.to_string(),
        table::verdict(most <= 1).to_owned(),
    ]
}

fn first_above_floor(vocabulary: &Vocabulary, sent: &[Sent]) -> u64 {
    let mut long = sent.iter().filter(|sent| vocabulary.tokens(&sent.text) >= FLOOR);
    long.next().map_or(1, |sent| sent.turn)
}

/// What the calls of these turns find in a cache that holds all calls before them.
fn cache(vocabulary: &Vocabulary, name: &str, calls: &[&Sent], first: u64, last: u64) -> Vec<String> {
    let (mut n_calls, mut n_tokens, mut n_cached) = (0, 0, 0);
    for (idx, call) in calls.iter().enumerate() {
        if !(first..=last).contains(&call.turn) {
            continue;
        }
        n_calls += 1;
        n_tokens += vocabulary.tokens(&call.text);
        let shared = calls[..idx]
            .iter()
            .map(|earlier| common(&earlier.text, &call.text));
        let longest = call.text.floor_char_boundary(shared.max().unwrap_or(0));
        let cached = vocabulary.tokens(&call.text[..longest]);
        n_cached += if cached >= FLOOR { cached } else { 0 };
    }
    let share = table::ratio(n_cached, n_tokens);
    vec![
        name.to_owned(),
        format!("{first}–{last}"),
        n_calls.to_string(),
        n_tokens.to_string(),
        n_cached.to_string(),
        format!("{share:.3}"),
        table::verdict(share >= 0.85).to_owned(),
    ]
}

/// Bytes that both start with.
fn common(earlier: &str, later: &str) -> usize {
    let pairs = earlier.bytes().zip(later.bytes());
    pairs.take_while(|(left, right)| left == right).count()
}
