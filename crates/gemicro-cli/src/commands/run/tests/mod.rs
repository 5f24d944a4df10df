//! The live log, the board and the summary of pipelines whose events are made by hand.

mod journal;

use gemicro_event::StreamId;

use super::board::{erase, rows, running_line, spent_line};
use gemicro_engine::pipeline::flow::is_gate;

use super::gate::yes_or_no;
use super::log::Log;
use super::view::{leftover_work, line, summary};
use crate::screen::{Paint, text};
use crate::view::RunEnd;
use journal::{Journal, rested, straight, troubled};

/// The whole log of a run, as a screen of 100 columns has it.
fn logged(journal: &Journal) -> (String, Log) {
    let mut log = Log::default();
    let entries: Vec<_> = journal
        .events
        .iter()
        .flat_map(|event| log.entries(event))
        .collect();
    let lines = entries
        .iter()
        .flat_map(|entry| entry.lines(Paint::new(false), 100));
    (lines.map(|line| line + "\n").collect(), log)
}

#[test]
fn the_log_of_a_straight_run_reads_like_a_story() {
    let (text, log) = logged(&straight());
    insta::assert_snapshot!("straight_log", text);
    let run = StreamId::new("k3v9k3v9k3v9k3v9").unwrap();
    let Some(RunEnd::Completed { data, .. }) = straight().events.last().and_then(RunEnd::of) else {
        panic!("it has a result");
    };
    let lines = summary(log.story(), &run, &data);
    let page: String = lines.into_iter().map(|it| line(it, usize::MAX)).collect();
    insta::assert_snapshot!("straight_summary", page);
}

#[test]
fn a_line_of_the_summary_is_wrapped_at_words() {
    let first = "`(. /tmp/demo/env.sh; COMMAND)` runs a command below and leaves your shell as it is";
    assert_eq!(
        line(("First", first.to_owned()), 80),
        "First     `(. /tmp/demo/env.sh; COMMAND)` runs a command below and leaves your\n          shell as it is\n"
    );
}

#[test]
fn the_log_reports_refusals_denials_and_reasons_once_and_bounded() {
    let (text, log) = logged(&troubled());
    insta::assert_snapshot!("troubled_log", text);
    assert!(
        !text.contains('\u{1b}'),
        "no control character of an agent reaches the screen"
    );
    let run = StreamId::new("k3v9k3v9k3v9k3v9").unwrap();
    insta::assert_snapshot!("troubled_left", leftover_work(log.story(), &run).unwrap());
    assert_eq!(
        log.story().again(&run).unwrap(),
        "gemicro retry k3v9k3v9k3v9k3v9 --from implementation",
        "the phase that can fix it, not the one that it ended in"
    );
}

#[test]
fn the_log_counts_the_time_that_was_worked() {
    let (text, _) = logged(&rested());
    insta::assert_snapshot!("rested_log", text);
}

#[test]
fn the_board_has_a_mark_and_a_round_for_every_phase_and_fits() {
    let journal = troubled();
    let mut log = Log::default();
    let mut boards = String::new();
    for event in &journal.events {
        log.entries(event);
        let story = log.story();
        if ["run_started", "phase_started"].contains(&event.update.event_type.as_str()) {
            for columns in [100, 60] {
                let rows = rows(story, Paint::new(false), columns);
                assert!(rows.iter().all(|row| text::width(row) <= columns), "{rows:?}");
                boards += &format!("{}\n", rows.join("\n"));
            }
            boards += &format!("{} | {}\n\n", running_line(story), spent_line(story));
        }
    }
    insta::assert_snapshot!("boards", boards);
}

#[test]
fn only_a_clear_word_is_an_answer() {
    for (word, meaning) in [
        ("yes", Some(true)),
        (" Y\n", Some(true)),
        ("true", Some(true)),
        ("no", Some(false)),
        ("STOP", Some(false)),
        ("", None),
        ("ok", None),
        ("yes please", None),
    ] {
        assert_eq!(yes_or_no(word), meaning, "{word}");
    }
    for (key, expected) in [
        ("audit.1:human", true),
        ("audit.1:human.2", true),
        ("audit.1:humane", false),
        ("decide:1", false),
        ("plan", false),
    ] {
        assert_eq!(is_gate(key), expected, "{key}");
    }
}

#[test]
fn a_board_is_erased_as_the_terminal_shows_it_now() {
    let cases: [(&[usize], usize, &str); 6] = [
        (&[], 80, ""),
        (&[50], 80, "\r\x1b[J"),
        (&[99, 40], 140, "\r\x1b[1A\x1b[J"),
        // The same rows after the terminal was made narrower: the first is broken once.
        (&[99, 40], 80, "\r\x1b[2A\x1b[J"),
        (&[99, 99, 0], 60, "\r\x1b[4A\x1b[J"),
        (&[80], 80, "\r\x1b[J"),
    ];
    for (drawn, columns, expected) in cases {
        assert_eq!(erase(drawn, columns), expected, "{drawn:?} at {columns}");
    }
}
