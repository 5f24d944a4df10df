//! What a prompt of a conversation of 10,000 turns costs.

use std::error::Error;
use std::time::{Duration, Instant};

use gemicro_core::history::{Author, ConversationLog, HistoryManager, Turn};

use super::corpus::history;
use super::table;

const N_TURNS: usize = 10_000;
const RENDER_BAR: Duration = Duration::from_millis(5);
const PLAN_BAR: Duration = Duration::from_millis(50);

/// Prints the times of prompts that continue the one before, and of those that need a new plan.
pub(crate) fn run(log: &ConversationLog) -> Result<(), Box<dyn Error>> {
    println!("prompts of a conversation of {N_TURNS} turns, 16k tokens");
    let mut history = history(16_000);
    for turn in long(log, N_TURNS) {
        history.add_turn(turn);
    }
    let (first, _) = timed(&mut history)?;
    println!("  the first                  {}", milliseconds(first));
    let (mut renders, mut plans) = (Vec::new(), Vec::new());
    for turn in long(log, N_TURNS + 1_000).skip(N_TURNS) {
        history.add_turn(turn);
        let (time, is_plan) = timed(&mut history)?;
        if is_plan {
            plans.push(time);
        } else {
            renders.push(time);
        }
    }
    print("after a turn", &mut renders, RENDER_BAR);
    print("after a turn, with a new plan", &mut plans, PLAN_BAR);
    println!();
    Ok(())
}

/// The corpus, and then its rhythm again and again: tool output with other names, messages without new rules and
/// decisions, which no conversation has thousands of.
fn long(log: &ConversationLog, n_turns: usize) -> impl Iterator<Item = Turn> {
    let rounds = (0..).flat_map(|round: usize| log.turns().iter().map(move |turn| (round, turn)));
    rounds.take(n_turns).map(|(round, turn)| {
        let mut turn = turn.clone();
        if round > 0 {
            let number = turn.number;
            turn.text = match turn.author {
                Author::User | Author::System => format!("Go on with part {number} of round {round}."),
                Author::Assistant => format!("I look at part {number} of round {round}."),
                Author::Tool => turn.text.replace("tidewatch", &format!("tide{round}")),
            };
        }
        turn
    })
}

/// How long the next prompt takes, and whether it needed a new plan.
fn timed(history: &mut HistoryManager) -> Result<(Duration, bool), Box<dyn Error>> {
    let n_compactions = history.compaction_count();
    let started_at = Instant::now();
    history.prompt()?;
    let time = started_at.elapsed();
    Ok((time, history.compaction_count() > n_compactions))
}

fn print(name: &str, times: &mut [Duration], bar: Duration) {
    times.sort();
    let at = |percent: usize| {
        let idx = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times.get(idx).copied().unwrap_or_default()
    };
    println!(
        "  {name}: median {}, p95 {}, most {}, n {} (bar for p95 {}: {})",
        milliseconds(at(50)),
        milliseconds(at(95)),
        milliseconds(at(100)),
        times.len(),
        milliseconds(bar),
        table::verdict(!times.is_empty() && at(95) < bar)
    );
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
