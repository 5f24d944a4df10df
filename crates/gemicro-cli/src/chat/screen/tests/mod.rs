//! Tests of the screen: pictures, keys, news, any sequence of both.

mod keys;
mod markdown;
mod performance;
mod pictures;
mod property;
mod whole;

use std::time::Duration;

use gemicro_chat::Order;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::keys::KeyAction;
use super::state::ScreenState;
use super::theme::Theme;

/// A screen in colours.
fn state() -> ScreenState {
    ScreenState::new(Theme { has_colour: true })
}

/// Draws it at a size.
fn drawn(state: &ScreenState, columns: u16, rows: u16) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| state.draw(frame)).unwrap();
    terminal.backend().clone()
}

/// Draws it as text without empty ends.
fn text(state: &ScreenState, columns: u16, rows: u16) -> String {
    let picture = drawn(state, columns, rows).to_string();
    let lines = picture.lines().map(|line| line.trim_matches('"').trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

fn press(state: &mut ScreenState, code: KeyCode, modifiers: KeyModifiers) -> Vec<KeyAction> {
    state.key(KeyEvent::new(code, modifiers))
}

/// Types a text and nothing else.
fn type_in(state: &mut ScreenState, text: &str) {
    for c in text.chars() {
        assert_eq!(press(state, KeyCode::Char(c), KeyModifiers::NONE), []);
    }
}

/// Types a text and Enter.
fn enter(state: &mut ScreenState, text: &str) -> Vec<Order> {
    type_in(state, text);
    orders(press(state, KeyCode::Enter, KeyModifiers::NONE))
}

fn orders(deeds: Vec<KeyAction>) -> Vec<Order> {
    let order = |deed| match deed {
        KeyAction::Send(order) => order,
        other => panic!("no order: {other:?}"),
    };
    deeds.into_iter().map(order).collect()
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}
