//! What keys do.

use gemicro_chat::{News, Order, ToolLine, ToolQuestion, ToolState};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{drawn, enter, orders, press, seconds, state, text, type_in};
use crate::chat::actor::{answered_news, opened_news, sent_news};
use crate::chat::screen::keys::KeyAction;
use crate::chat::screen::state::{Activity, ScreenState};

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

fn say(text: &str) -> Vec<Order> {
    vec![Order::Say(text.to_owned())]
}

fn with_question() -> ScreenState {
    let mut state = state();
    state.news(sent_news(1, "clean up"));
    state.news(News::Question(ToolQuestion {
        key: "q1".to_owned(),
        tool: "shell".to_owned(),
        text: "rm -r build".to_owned(),
    }));
    drawn(&state, 80, 24);
    state.at(seconds(1));
    state
}

fn answer(allow: bool) -> Vec<Order> {
    vec![Order::Answer {
        key: "q1".to_owned(),
        allow,
    }]
}

#[test]
fn enter_sends_and_other_enters_begin_a_line() {
    let mut state = state();
    type_in(&mut state, "one");
    assert_eq!(press(&mut state, KeyCode::Enter, KeyModifiers::ALT), []);
    type_in(&mut state, "two");
    assert_eq!(press(&mut state, KeyCode::Char('j'), CTRL), []);
    assert_eq!(enter(&mut state, "three\\"), []);
    assert_eq!(enter(&mut state, "four"), say("one\ntwo\nthree\nfour"));
    assert!(state.editor.is_empty());
}

#[test]
fn nothing_is_not_sent() {
    let mut state = state();
    assert_eq!(enter(&mut state, ""), []);
    assert_eq!(enter(&mut state, "  \t "), []);
    assert_eq!(state.activity, Activity::Idle);
}

#[test]
fn one_message_at_a_time_and_the_next_is_kept() {
    let mut state = state();
    assert_eq!(enter(&mut state, "first"), say("first"));
    assert_eq!(enter(&mut state, "second"), []);
    assert_eq!(state.editor.text(), "second");
    state.news(sent_news(1, "first"));
    assert_eq!(enter(&mut state, ""), []);
    assert!(text(&state, 80, 10).contains("Esc stops it"));
    state.news(answered_news(2, "done"));
    assert_eq!(enter(&mut state, ""), say("second"));
}

#[test]
fn a_refused_message_comes_back() {
    let mut state = state();
    assert_eq!(enter(&mut state, "hello"), say("hello"));
    state.news(News::Refused("not now".to_owned()));
    assert_eq!(state.editor.text(), "hello");
    assert_eq!(enter(&mut state, ""), say("hello"));
}

#[test]
fn slash_commands_become_orders_or_are_explained() {
    let mut state = state();
    assert_eq!(
        enter(&mut state, "/model claude"),
        [Order::Model(Some("claude".to_owned()))]
    );
    assert_eq!(enter(&mut state, "//model"), say("/model"));
    let mut state = super::state();
    assert_eq!(enter(&mut state, "/claer"), []);
    assert_eq!(state.editor.text(), "/claer", "left there to be corrected");
    assert!(text(&state, 80, 24).contains("did you mean /clear?"));
    press(&mut state, KeyCode::Char('c'), CTRL);
    assert_eq!(enter(&mut state, "/help"), []);
    assert!(text(&state, 80, 40).contains("switch to another conversation"));
}

#[test]
fn tab_completes_commands_alone() {
    let mut state = state();
    type_in(&mut state, "/exp");
    assert!(text(&state, 80, 24).contains("/export FILE    write the conversation to FILE"));
    press(&mut state, KeyCode::Tab, NONE);
    assert_eq!(state.editor.text(), "/export ");
    press(&mut state, KeyCode::Char('u'), CTRL);
    type_in(&mut state, "word");
    press(&mut state, KeyCode::Tab, NONE);
    assert_eq!(state.editor.text(), "word");
}

#[test]
fn ctrl_c_stops_then_clears_then_leaves() {
    let ctrl_c = |state: &mut ScreenState| press(state, KeyCode::Char('c'), CTRL);
    let mut state = state();
    state.news(sent_news(1, "x"));
    type_in(&mut state, "draft");
    assert_eq!(orders(ctrl_c(&mut state)), [Order::Stop]);
    state.news(News::Stopped);
    assert_eq!(state.editor.text(), "draft");
    assert_eq!(ctrl_c(&mut state), []);
    assert!(state.editor.is_empty());
    assert_eq!(ctrl_c(&mut state), []);
    assert!(text(&state, 80, 10).contains("Ctrl-C again leaves"));
    // Any other key means that one stays.
    type_in(&mut state, "x");
    press(&mut state, KeyCode::Backspace, NONE);
    assert_eq!(ctrl_c(&mut state), []);
    assert_eq!(orders(ctrl_c(&mut state)), [Order::Quit]);
    // A chat that does not end cannot hold anybody.
    assert_eq!(ctrl_c(&mut state), [KeyAction::Leave]);
}

#[test]
fn a_stop_that_is_not_heard_does_not_hold_anybody() {
    let mut state = state();
    state.news(sent_news(1, "x"));
    assert_eq!(orders(press(&mut state, KeyCode::Esc, NONE)), [Order::Stop]);
    assert_eq!(press(&mut state, KeyCode::Esc, NONE), []);
    assert_eq!(press(&mut state, KeyCode::Char('c'), CTRL), []);
    assert_eq!(orders(press(&mut state, KeyCode::Char('c'), CTRL)), [Order::Quit]);
}

#[test]
fn ctrl_d_leaves_when_nothing_is_written() {
    let mut state = state();
    type_in(&mut state, "x");
    assert_eq!(press(&mut state, KeyCode::Char('d'), CTRL), []);
    press(&mut state, KeyCode::Backspace, NONE);
    assert_eq!(orders(press(&mut state, KeyCode::Char('d'), CTRL)), [Order::Quit]);
}

#[test]
fn only_a_plain_yes_allows() {
    for (code, modifiers, expected) in [
        (KeyCode::Char('y'), NONE, answer(true)),
        (KeyCode::Char('Y'), KeyModifiers::SHIFT, answer(true)),
        (KeyCode::Char('n'), NONE, answer(false)),
        (KeyCode::Enter, NONE, answer(false)),
        (KeyCode::Esc, NONE, answer(false)),
        (KeyCode::Char('y'), CTRL, Vec::new()),
        (KeyCode::Char('a'), NONE, Vec::new()),
        (KeyCode::Char(' '), NONE, Vec::new()),
    ] {
        let mut state = with_question();
        assert_eq!(orders(press(&mut state, code, modifiers)), expected, "{code:?}");
        assert_eq!(state.questions.is_empty(), !expected.is_empty());
        // What is no answer was meant for the editor.
        let is_text = matches!(code, KeyCode::Char('a' | ' '));
        assert_eq!(state.editor.is_empty(), !is_text, "{code:?}");
    }
    let mut state = with_question();
    state.paste("y");
    assert_eq!(state.questions.len(), 1);
    assert_eq!(
        orders(press(&mut state, KeyCode::Char('c'), CTRL)),
        [answer(false), vec![Order::Stop]].concat()
    );
}

#[test]
fn a_key_meant_for_something_else_does_not_allow() {
    // Not drawn yet.
    let mut state = state();
    state.news(sent_news(1, "x"));
    let question = ToolQuestion {
        key: "q1".to_owned(),
        tool: "shell".to_owned(),
        text: "rm".to_owned(),
    };
    state.news(News::Question(question.clone()));
    state.at(seconds(9));
    assert_eq!(press(&mut state, KeyCode::Char('y'), NONE), []);
    // No room to show it.
    drawn(&state, 80, 3);
    assert_eq!(press(&mut state, KeyCode::Char('y'), NONE), []);
    // Typed in one go.
    drawn(&state, 80, 24);
    assert_eq!(press(&mut state, KeyCode::Char('y'), NONE), []);
    assert_eq!(press(&mut state, KeyCode::Char('n'), NONE), []);
    assert_eq!(press(&mut state, KeyCode::Enter, NONE), []);
    state.at(seconds(10));
    drawn(&state, 80, 24);
    assert_eq!(orders(press(&mut state, KeyCode::Char('y'), NONE)), answer(true));
    // Typed while it came up.
    let mut state = super::state();
    state.at(seconds(9));
    state.news(sent_news(1, "x"));
    state.news(News::Question(question));
    assert!(!text(&state, 80, 24).contains("y allow"));
    assert_eq!(press(&mut state, KeyCode::Char('y'), NONE), []);
    state.at(seconds(10));
    assert!(text(&state, 80, 24).contains("y allow"));
    assert_eq!(orders(press(&mut state, KeyCode::Char('y'), NONE)), answer(true));
}

#[test]
fn a_long_question_is_allowed_only_after_its_end_was_shown() {
    let long = |n_lines: usize| {
        let mut state = state();
        state.news(sent_news(1, "clean up"));
        state.news(News::Question(ToolQuestion {
            key: "q1".to_owned(),
            tool: "shell".to_owned(),
            text: (1..=n_lines).map(|n| format!("line {n}\n")).collect::<String>() + "rm -r /",
        }));
        drawn(&state, 80, 24);
        state.at(seconds(1));
        state
    };
    let mut state = long(60);
    let first = text(&state, 80, 24);
    assert!(
        !first.contains("rm -r /") && first.contains("PageDown to its end"),
        "{first}"
    );
    let mut n_pages = 0;
    while !text(&state, 80, 24).contains("rm -r /") {
        assert_eq!(press(&mut state, KeyCode::Char('y'), NONE), []);
        assert_eq!(press(&mut state, KeyCode::PageDown, NONE), []);
        n_pages += 1;
        assert!(n_pages < 60);
    }
    assert!(state.editor.is_empty());
    // Seen once is seen.
    assert_eq!(press(&mut state, KeyCode::PageUp, NONE), []);
    drawn(&state, 80, 24);
    assert_eq!(orders(press(&mut state, KeyCode::Char('y'), NONE)), answer(true));
    // It can be refused at any time.
    assert_eq!(
        orders(press(&mut long(60), KeyCode::Char('n'), NONE)),
        answer(false)
    );
    // One that cannot be shown whole cannot be allowed here.
    let mut endless = long(20_000);
    for _ in 0..20_000 {
        press(&mut endless, KeyCode::PageDown, NONE);
    }
    assert!(text(&endless, 80, 24).contains("too long to show"));
    assert_eq!(press(&mut endless, KeyCode::Char('y'), NONE), []);
    assert_eq!(orders(press(&mut endless, KeyCode::Esc, NONE)), answer(false));
}

#[test]
fn the_second_question_has_its_own_moment() {
    let mut state = with_question();
    state.news(News::Question(ToolQuestion {
        key: "q2".to_owned(),
        tool: "shell".to_owned(),
        text: "rm -r src".to_owned(),
    }));
    state.at(seconds(5));
    assert_eq!(orders(press(&mut state, KeyCode::Char('y'), NONE)), answer(true));
    drawn(&state, 80, 24);
    assert_eq!(press(&mut state, KeyCode::Char('y'), NONE), []);
    assert!(text(&state, 80, 24).contains("rm -r src"));
    state.news(News::Settled { key: "q2".to_owned() });
    assert!(state.questions.is_empty());
}

#[test]
fn up_and_down_walk_the_messages_at_the_edges() {
    let mut state = state();
    for (number, text) in [(1, "first"), (3, "second")] {
        assert_eq!(enter(&mut state, text), say(text));
        state.news(sent_news(number, text));
        state.news(answered_news(number + 1, "ok"));
    }
    type_in(&mut state, "draft");
    let walked: Vec<String> = [
        KeyCode::Up,
        KeyCode::Up,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Down,
        KeyCode::Down,
    ]
    .into_iter()
    .map(|code| {
        press(&mut state, code, NONE);
        state.editor.text()
    })
    .collect();
    assert_eq!(walked, ["second", "first", "first", "second", "draft", "draft"]);
    press(&mut state, KeyCode::Enter, KeyModifiers::ALT);
    press(&mut state, KeyCode::Up, NONE);
    assert_eq!(
        state.editor.text(),
        "draft\n",
        "inside a text it moves the cursor"
    );
}

#[test]
fn long_pastes_stand_aside_and_come_back_when_sent() {
    let mut state = state();
    let long = "line\n".repeat(2_000);
    type_in(&mut state, "see ");
    state.paste(&long);
    type_in(&mut state, " end");
    assert_eq!(state.editor.text(), "see [paste 1: 2,000 lines, 10 kB] end");
    assert_eq!(enter(&mut state, ""), say(&format!("see {long} end")));
    state.news(sent_news(1, "x"));
    state.news(answered_news(2, "ok"));
    press(&mut state, KeyCode::Up, NONE);
    assert_eq!(state.editor.message(), format!("see {long} end"));
}

#[test]
fn pastes_are_cleaned_and_bounded() {
    let mut state = state();
    state.paste("a\x1b[2Jb\r\nc\u{202e}d");
    assert_eq!(state.editor.text(), "a[2Jb\nc\u{202e}d");
    let shown = text(&state, 80, 24);
    assert!(shown.contains("1 control character removed"));
    assert!(shown.contains("c\u{fffd}d"), "{shown}");
    state.paste(&"x".repeat(1 << 20));
    assert!(text(&state, 200, 24).contains("at most 1,048,576 are allowed"));
    assert_eq!(enter(&mut state, ""), say("a[2Jb\nc\u{202e}d"));
}

#[test]
fn another_conversation_begins_clean() {
    let mut state = with_question();
    state.news(opened_news(Vec::new()));
    assert!(state.questions.is_empty());
    assert_eq!(state.activity, Activity::Idle);
    assert!(!text(&state, 80, 24).contains("clean up"));
}

#[test]
fn esc_marks_the_tool_that_ran_as_stopped() {
    let mut state = state();
    state.news(opened_news(Vec::new()));
    state.news(sent_news(1, "x"));
    for (id, tool_state) in [("1", ToolState::Done), ("2", ToolState::Running)] {
        state.news(News::Tool(ToolLine {
            id: id.to_owned(),
            text: format!("tool {id}"),
            state: tool_state,
        }));
    }
    assert!(text(&state, 80, 24).contains("tool 2 (running)"));
    assert_eq!(orders(press(&mut state, KeyCode::Esc, NONE)), [Order::Stop]);
    state.news(News::Stopped);
    let shown = text(&state, 80, 24);
    assert!(
        shown.contains("tool 2 (stopped)") && !shown.contains("(running)"),
        "{shown}"
    );
    assert!(
        shown.contains("tool 1") && !shown.contains("tool 1 (stopped)"),
        "{shown}"
    );
}
