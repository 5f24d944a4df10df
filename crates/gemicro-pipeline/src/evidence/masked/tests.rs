//! Commands that keep their exit status, and commands that lose it.

mod idle;
mod kept;
mod lines;
mod started;

use proptest::prelude::*;

use lines::{HONEST, LOSING};

use super::masked;

#[test]
fn honest_commands_are_let_through() {
    let refused: Vec<_> = HONEST
        .iter()
        .filter_map(|command| masked(command).map(|masked| (*command, masked.reason)))
        .collect();
    assert_eq!(refused, Vec::<(&str, String)>::new());
}

#[test]
fn commands_that_lose_their_status_are_named() {
    let wrong: Vec<_> = LOSING
        .iter()
        .map(|(command, words)| (*command, *words, masked(command).map(|masked| masked.reason)))
        .filter(|(_, words, reason)| !reason.as_ref().is_some_and(|reason| reason.contains(words)))
        .collect();
    assert_eq!(wrong, Vec::<(&str, &str, Option<String>)>::new());
}

#[test]
fn a_finding_has_its_piece() {
    let found = masked("cd app && pytest -q ||   true").unwrap();
    assert_eq!(found.piece, "|| true");
    assert_eq!(
        found.to_string(),
        "`|| true` hides the exit status of `pytest -q`"
    );
    let long = masked(&format!("pytest {} || true", "x".repeat(500))).unwrap();
    assert!(long.reason.chars().count() < 200, "{}", long.reason);
}

#[test]
fn deep_and_long_commands_are_not_read() {
    assert!(masked(&format!("{}pytest{}", "(".repeat(5_000), ")".repeat(5_000))).is_some());
    assert!(masked(&format!("pytest {}", "x".repeat(100_000))).is_some());
    let mut nested = "pytest".to_owned();
    for _ in 0..8 {
        nested = format!("eval {nested}");
    }
    assert!(masked(&nested).is_some());
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(pytest|true|exit 0|set -e|if|fi|then|[ $(){}|&;!'\"\\\\\n`ü]|[a-z]{1,3}){0,24}") {
        let first = masked(&text);
        prop_assert_eq!(first, masked(&text));
    }

    #[test]
    fn what_is_masked_stays_so_with_more_around_it(idx in 0..LOSING.len()) {
        let (command, _) = LOSING[idx];
        for longer in [format!("cd x && {{ {command}\n}}"), format!("({command}\n)"), format!("set -u\n{command}")] {
            prop_assert!(masked(&longer).is_some(), "{}", longer);
        }
    }
}
