//! Long conversations cost no more than what is in sight of them.
//!
//! Counted, not timed: how much is laid out does not depend on the machine.

use gemicro_chat::News;
use gemicro_core::history::Author;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{drawn, press, state, text};
use crate::chat::actor::{answered_news, opened_news, sent_news, turn};

#[test]
fn ten_thousand_turns_are_laid_out_only_where_they_are_seen() {
    let mut state = state();
    let turns = (1..=10_000).map(|number| {
        let author = if number % 2 == 1 {
            Author::User
        } else {
            Author::Assistant
        };
        turn(
            number,
            author,
            &format!("turn {number}: {}", "some **words** of Markdown. ".repeat(20)),
        )
    });
    state.news(opened_news(turns.collect()));
    drawn(&state, 120, 40);
    assert!(
        state.transcript.n_laid_out() < 100,
        "{}",
        state.transcript.n_laid_out()
    );
    for _ in 0..100 {
        press(&mut state, KeyCode::PageUp, KeyModifiers::NONE);
        drawn(&state, 120, 40);
    }
    assert!(state.transcript.n_laid_out() < 6_000);
    drawn(&state, 60, 40);
    assert!(
        state.transcript.n_laid_out() < 100,
        "what was laid out for another width is gone"
    );
}

#[test]
fn a_message_of_fifty_megabytes_is_drawn_in_pieces() {
    let mut state = state();
    let big = "A line of this message, which goes on and on.\n".repeat(1_100_000);
    assert!(big.len() > 50_000_000);
    state.news(sent_news(1, "dump it"));
    for piece in big.as_bytes().chunks(64 << 10) {
        state.news(News::Text(std::str::from_utf8(piece).unwrap().to_owned()));
    }
    drawn(&state, 120, 40);
    assert!(
        state.transcript.n_laid_out() < 2_000,
        "{}",
        state.transcript.n_laid_out()
    );
    state.news(answered_news(2, &big));
    assert!(text(&state, 120, 40).contains("goes on and on"));
    // One line without an end is no worse.
    let endless = "x".repeat(50_000_000);
    state.news(sent_news(3, &endless));
    state.news(answered_news(4, &endless));
    drawn(&state, 120, 40);
    press(&mut state, KeyCode::PageUp, KeyModifiers::NONE);
    drawn(&state, 120, 40);
    assert!(
        state.transcript.n_laid_out() < 2_000,
        "{}",
        state.transcript.n_laid_out()
    );
}
