//! Any news and keys at any size.

use gemicro_chat::{Meter, News, ToolLine, ToolQuestion, ToolState};
use gemicro_core::history::Author;
use gemicro_event::{Charge, ErrorKind, Failure};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::{collection, option};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{drawn, press, seconds, state};
use crate::chat::actor::{answered_news, opened_news, sent_news, turn};

#[derive(Debug, Clone)]
enum Act {
    News(Box<News>),
    Key(KeyCode, KeyModifiers),
    Paste(String),
    Time(u64),
    Draw(u16, u16),
}

/// Texts with what terminals, Markdown and layouts stumble over.
fn words() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        "[a-z \n]{0,80}",
        Just("\x1b[2J\x1b]0;t\x07\u{9b}1m\u{202e}\u{2066}\u{feff}".to_owned()),
        Just("&#27;&#x9b;&#x202e;".to_owned()),
        Just("| a | b |\n|---|--:|\n| `x` | **y** |\n".to_owned()),
        Just("```rust\nfn main() {}\n".to_owned()),
        Just("> - 1. > - deep\n\t\t- [x] x\n".to_owned()),
        Just("漢字かな交じり文👩‍👩‍👧‍👦e\u{301}ﾞﾟ\u{200b}".to_owned()),
        Just("[a](b) ![c](d) <https://e> ~~f~~ *g* __h__\n# i\n---\n".to_owned()),
        Just("long".repeat(5_000)),
        Just("\n".repeat(300)),
        Just("\t".repeat(50)),
    ];
    collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

fn news() -> impl Strategy<Value = News> {
    let state = prop_oneof![
        Just(ToolState::Running),
        Just(ToolState::Done),
        Just(ToolState::Failed),
        Just(ToolState::Denied)
    ];
    let tool = (0..3_u8, words(), state).prop_map(|(id, text, state)| {
        News::Tool(ToolLine {
            id: id.to_string(),
            text,
            state,
        })
    });
    let question = (0..3_u8, words(), words()).prop_map(|(key, tool, text)| {
        News::Question(ToolQuestion {
            key: key.to_string(),
            tool,
            text,
        })
    });
    let meter = (any::<[u64; 4]>(), any::<bool>(), any::<[u64; 2]>()).prop_map(|(n, is_compressed, m)| {
        News::Meter(Meter {
            prompt_tokens: n[0],
            max_prompt_tokens: n[1],
            is_compressed,
            n_compactions: n[2],
            spent: Charge {
                tokens: n[3],
                micro_usd: m[1],
                ..Charge::ZERO
            },
            cached_tokens: m[0],
        })
    });
    let authors = prop_oneof![
        Just(Author::User),
        Just(Author::Assistant),
        Just(Author::Tool),
        Just(Author::System)
    ];
    let turns = collection::vec((authors, words()), 0..5).prop_map(|turns| {
        let turns = turns.into_iter().enumerate();
        opened_news(
            turns
                .map(|(idx, (author, text))| turn(idx as u64 + 1, author, &text))
                .collect(),
        )
    });
    let failed = (words(), any::<bool>()).prop_map(|(message, offers_clear)| News::Failed {
        failure: Failure::new(ErrorKind::Timeout, message),
        offers_clear,
    });
    prop_oneof![
        4 => words().prop_map(News::Text),
        2 => words().prop_map(|text| sent_news(1, &text)),
        2 => words().prop_map(|text| answered_news(2, &text)),
        2 => tool,
        2 => question,
        1 => (0..3_u8).prop_map(|key| News::Settled { key: key.to_string() }),
        1 => turns,
        1 => failed,
        1 => words().prop_map(News::Notice),
        1 => words().prop_map(News::Warning),
        1 => words().prop_map(News::Refused),
        1 => meter,
        1 => prop_oneof![Just(News::StartedOver), Just(News::Stopped), Just(News::Undone { from: 1 })],
        1 => Just(News::Listed(Vec::new())),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let code = prop_oneof![
        4 => any::<char>().prop_map(KeyCode::Char),
        4 => "[a-z/ \\\\]".prop_map(|text| KeyCode::Char(text.chars().next().unwrap_or('a'))),
        4 => proptest::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right,
            KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Backspace, KeyCode::Delete,
        ]),
    ];
    let modifiers = prop_oneof![
        4 => Just(KeyModifiers::NONE),
        1 => Just(KeyModifiers::CONTROL),
        1 => Just(KeyModifiers::ALT),
        1 => Just(KeyModifiers::SHIFT),
        1 => Just(KeyModifiers::CONTROL | KeyModifiers::ALT),
    ];
    prop_oneof![
        4 => news().prop_map(|news| Act::News(Box::new(news))),
        6 => (code, modifiers).prop_map(|(code, modifiers)| Act::Key(code, modifiers)),
        1 => words().prop_map(Act::Paste),
        1 => (0..100_u64).prop_map(Act::Time),
        3 => (1..=300_u16, 1..=100_u16).prop_map(|(columns, rows)| Act::Draw(columns, rows)),
        1 => (1..=12_u16, 1..=8_u16).prop_map(|(columns, rows)| Act::Draw(columns, rows)),
    ]
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 128, ..Default::default() })]

    #[test]
    fn nothing_panics_and_nothing_active_is_drawn(
        acts in collection::vec(act(), 1..40),
        last in option::of((1..=300_u16, 1..=100_u16)),
    ) {
        let mut state = state();
        let last = last.map(|(columns, rows)| Act::Draw(columns, rows));
        for act in acts.into_iter().chain(last) {
            match act {
                Act::News(news) => state.news(*news),
                Act::Key(code, modifiers) => drop(press(&mut state, code, modifiers)),
                Act::Paste(text) => state.paste(&text),
                Act::Time(n) => state.at(seconds(n)),
                Act::Draw(columns, rows) => {
                    let picture = drawn(&state, columns, rows);
                    for cell in picture.buffer().content() {
                        let symbol = cell.symbol();
                        assert_eq!(crate::screen::text::neutral(symbol), symbol);
                        assert!(!symbol.contains(['\n', '\t']), "{symbol:?}");
                    }
                }
            }
        }
    }
}
