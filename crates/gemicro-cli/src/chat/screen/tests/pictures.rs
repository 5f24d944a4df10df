//! Whole screens.

use gemicro_chat::{Meter, News, ToolLine, ToolQuestion, ToolState};
use gemicro_core::history::Author;
use gemicro_event::{Charge, ErrorKind, Failure};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::style::Color;

use super::{drawn, press, seconds, state, text, type_in};
use crate::chat::actor::{answered_news, opened_news, sent_news, turn};
use crate::chat::screen::state::ScreenState;

const ANSWER: &str = "## Plan\n\nThe parser has **two** passes:\n\n1. `lex` makes tokens, and keeps where each of \
    them begins so that errors can name a line and a column\n2. `parse` makes a tree\n\n```rust\nfn parse(tokens: \
    &[Token]) -> Result<Tree, Error> {\n    todo()\n}\n```\n\n| pass | time | share |\n|---|--:|--:|\n| lex | 1.2 ms | \
    30 % |\n| parse | 2.8 ms | 70 % |\n\nMore follows";

const METER: Meter = Meter {
    prompt_tokens: 3_100,
    max_prompt_tokens: 16_000,
    is_compressed: false,
    n_compactions: 0,
    spent: Charge {
        tokens: 12_345,
        micro_usd: 12_300,
        ..Charge::ZERO
    },
    cached_tokens: 5_000,
};

/// Compares a screen in two sizes.
fn check(name: &str, state: &ScreenState) {
    insta::assert_snapshot!(format!("{name}_80x24"), drawn(state, 80, 24));
    insta::assert_snapshot!(format!("{name}_200x60"), drawn(state, 200, 60));
}

fn tool(id: &str, text: &str, state: ToolState) -> News {
    News::Tool(ToolLine {
        id: id.to_owned(),
        text: text.to_owned(),
        state,
    })
}

#[test]
fn fresh() {
    let mut state = state();
    state.news(opened_news(Vec::new()));
    state.news(News::Meter(Meter {
        max_prompt_tokens: 16_000,
        ..Meter::default()
    }));
    type_in(&mut state, "/c");
    check("fresh", &state);
}

#[test]
fn streaming() {
    let mut state = state();
    state.news(opened_news(Vec::new()));
    state.news(sent_news(1, "How does the parser work?\nIn short, please."));
    for piece in ANSWER.split_inclusive(' ') {
        state.news(News::Text(piece.to_owned()));
    }
    state.news(News::Meter(METER));
    state.at(seconds(75));
    type_in(
        &mut state,
        "and the next question, which is long enough to need a second line of the editor, as one sees",
    );
    check("streaming", &state);
}

#[test]
fn tools_and_a_question() {
    let mut state = state();
    state.news(opened_news(Vec::new()));
    state.news(sent_news(1, "Clean up."));
    state.news(News::Text("I look around first.".to_owned()));
    state.news(tool("1", "read src/main.rs", ToolState::Running));
    state.news(tool("2", "shell: cargo test", ToolState::Running));
    state.news(tool("1", "read src/main.rs", ToolState::Done));
    state.news(tool("2", "shell: cargo test", ToolState::Failed));
    state.news(tool("3", "shell: curl https://example.com", ToolState::Denied));
    state.news(tool("4", "edit src/main.rs", ToolState::Running));
    state.news(News::Notice("the agent works in a copy of the folder".to_owned()));
    state.news(News::Warning("the price of this model is not known".to_owned()));
    state.news(News::Question(ToolQuestion {
        key: "q1".to_owned(),
        tool: "shell\x1b[31m".to_owned(),
        text: "rm -r build\n\u{202e}dliub".to_owned(),
    }));
    state.news(News::Meter(METER));
    state.at(seconds(3));
    check("question", &state);
}

#[test]
fn failure() {
    let mut state = state();
    state.news(opened_news(Vec::new()));
    state.news(sent_news(1, "Explain everything."));
    state.news(News::Text("It begins with".to_owned()));
    let failure = Failure::new(
        ErrorKind::UpstreamError,
        "gemini answered 503 Service Unavailable",
    );
    state.news(News::Failed {
        failure,
        offers_clear: true,
    });
    check("failure", &state);
    let picture = drawn(&state, 80, 24);
    let cell = &picture.buffer()[(1, 6)];
    assert_eq!((cell.symbol(), cell.fg), ("✗", Color::Red));
}

#[test]
fn compressed() {
    let mut state = state();
    state.news(opened_news(vec![
        turn(1, Author::User, "Hello."),
        turn(2, Author::Assistant, "Hello!"),
    ]));
    state.news(News::Meter(Meter {
        prompt_tokens: 14_200,
        is_compressed: true,
        n_compactions: 2,
        ..METER
    }));
    check("compressed", &state);
}

#[test]
fn scrolled() {
    let mut state = state();
    let turns = (1..=200).map(|number| {
        let author = if number % 2 == 1 {
            Author::User
        } else {
            Author::Assistant
        };
        turn(number, author, &format!("turn number {number}"))
    });
    state.news(opened_news(turns.collect()));
    drawn(&state, 80, 24);
    for _ in 0..3 {
        press(&mut state, KeyCode::PageUp, KeyModifiers::NONE);
    }
    state.news(sent_news(201, "what comes does not move what is read"));
    state.news(answered_news(202, "no"));
    insta::assert_snapshot!("scrolled_80x24", drawn(&state, 80, 24));
    insta::assert_snapshot!("scrolled_200x60", drawn(&state, 200, 60));
}

#[test]
fn scrolling_reaches_both_ends_and_follows_again() {
    let mut state = state();
    let turns = (1..=50).map(|number| turn(number, Author::User, &format!("turn {number}")));
    state.news(opened_news(turns.collect()));
    let at_end = text(&state, 80, 24);
    assert!(at_end.contains("turn 50"));
    for _ in 0..100 {
        press(&mut state, KeyCode::PageUp, KeyModifiers::NONE);
    }
    let at_start = text(&state, 80, 24);
    assert!(at_start.contains("turn 1\n") && at_start.contains("more below"));
    press(&mut state, KeyCode::PageDown, KeyModifiers::NONE);
    assert!(!text(&state, 80, 24).contains("turn 1\n"));
    for _ in 0..100 {
        press(&mut state, KeyCode::PageDown, KeyModifiers::NONE);
    }
    assert_eq!(text(&state, 80, 24), at_end);
    state.news(sent_news(51, "the newest"));
    assert!(text(&state, 80, 24).contains("the newest"));
}

#[test]
fn the_answer_in_the_log_replaces_its_pieces() {
    let shown = |news: Vec<News>| {
        let mut state = state();
        state.news(sent_news(1, "hi"));
        news.into_iter().for_each(|it| state.news(it));
        let text = text(&state, 40, 20);
        let body = text.lines().skip(3).take_while(|line| !line.starts_with('─'));
        body.filter(|line| !line.is_empty())
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let piece = |text: &str| News::Text(text.to_owned());
    let used = || tool("1", "ls", ToolState::Done);
    // The same words stay in their places, tools between them.
    assert_eq!(
        shown(vec![
            piece("I look."),
            used(),
            piece("Done."),
            answered_news(2, "I look.Done.")
        ]),
        ["I look.", "✓ ls", "Done.", "3.2s"]
    );
    assert_eq!(
        shown(vec![
            piece("I look."),
            used(),
            piece("Do"),
            answered_news(2, "Done.")
        ]),
        ["✓ ls", "Done.", "3.2s"]
    );
    assert_eq!(
        shown(vec![piece("wrong"), used(), News::StartedOver, piece("right")]),
        ["trying again", "right"]
    );
    assert_eq!(
        shown(vec![piece("part"), News::Stopped]),
        ["part", "stopped; your message stays"]
    );
    assert_eq!(
        shown(vec![
            answered_news(2, "ok"),
            sent_news(3, "no"),
            answered_news(4, "no"),
            News::Undone { from: 3 }
        ]),
        ["ok", "3.2s", "your last message is removed; pinned", "text stays"]
    );
}

#[test]
fn without_colour_nothing_is_coloured() {
    let mut state = ScreenState::new(super::Theme { has_colour: false });
    state.news(sent_news(1, "hi"));
    state.news(tool("1", "ls", ToolState::Failed));
    state.news(News::Text(ANSWER.to_owned()));
    state.news(News::Warning("careful".to_owned()));
    let picture = drawn(&state, 80, 24);
    let cells = picture.buffer().content().iter();
    assert!(
        cells
            .into_iter()
            .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
    );
}
