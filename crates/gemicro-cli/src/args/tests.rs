//! Tests of the command tree, the short form and the help.

use std::ffi::OsString;

use clap::CommandFactory;
use gemicro_event::ErrorKind;

use super::Cli;
use super::help::AFTER_HELP;
use super::parse::{COMMANDS, with_research};
use super::short_form::{is_question, refusal};

fn arguments(texts: &[&str]) -> Vec<OsString> {
    std::iter::once(&"gemicro")
        .chain(texts)
        .map(OsString::from)
        .collect()
}

#[test]
fn the_tree_is_sound_and_its_names_are_listed() {
    let tree = Cli::command();
    tree.clone().debug_assert();
    let names: Vec<&str> = tree.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(names, COMMANDS);
}

#[test]
fn a_question_or_an_option_first_means_research() {
    for (given, expected) in [
        (vec!["why?"], vec!["research", "why?"]),
        (vec!["--offline", "why?"], vec!["research", "--offline", "why?"]),
        (vec!["-v", "why?"], vec!["research", "-v", "why?"]),
        (vec!["-v", "runs"], vec!["-v", "runs"]),
        (vec!["runs"], vec!["runs"]),
        (
            vec!["--store", "postgres://x", "runs"],
            vec!["--store", "postgres://x", "runs"],
        ),
        (
            vec!["--store=postgres://x", "-v", "runs"],
            vec!["--store=postgres://x", "-v", "runs"],
        ),
        (
            vec!["--store", "runs", "why?"],
            vec!["research", "--store", "runs", "why?"],
        ),
        (vec!["--help"], vec!["--help"]),
        (vec![], vec![]),
    ] {
        assert_eq!(with_research(arguments(&given)), arguments(&expected));
    }
}

#[test]
fn words_that_may_be_a_command_are_no_question() {
    let words = |text: &[&str]| text.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for refused in [
        &["status"][..],
        &["list"],
        &["STATUS"],
        &["shw", "last"],
        &["conversation", "list"],
        &["pause", "last"],
        &["dead_letters"],
        &["rnus?"],
        &["frobnicate"],
        &["frobnicate", "8f3kq0zz1m2n4p5q"],
        &["delete", "the", "old", "runs"],
        &["how", "high", "is", "it"],
        &["статус"],
        &["aks", "Why does the test fail?"],
        &["shw", "last?"],
        &["status", "?"],
        &["status "],
        &["show last"],
        &["resume yrhhp1w0"],
        &["runs --limit 3"],
        &["gemicro status"],
        &["how", "high", "is", "it?"],
    ] {
        assert!(!is_question(&words(refused)), "{refused:?}");
    }
    for question in [
        &[][..],
        &["-"],
        &[""],
        &["status of the ferry"],
        &["What now?"],
        &["show me the last report of the ferry"],
        &["Why?"],
        &["为什么天空是蓝色的"],
    ] {
        assert!(is_question(&words(question)), "{question:?}");
    }
}

#[test]
fn a_refusal_names_the_nearest_commands_and_how_to_ask() {
    for (typed, command) in [
        ("status", "show"),
        ("list", "runs"),
        ("shw", "show"),
        ("conversation", "conversations"),
        ("suspend", "pause"),
        ("dead_letters", "dead-letters"),
        ("version", "--version"),
        ("frobnicate", "--help"),
    ] {
        let said = refusal(&[typed.to_owned()], &arguments(&[typed]));
        assert!(said.contains(&format!("`gemicro {command}`")), "{said}");
        assert!(said.ends_with(&format!("gemicro research {typed}")), "{said}");
    }
    let given = arguments(&[
        "--offline",
        "--source",
        "my notes",
        "it`s",
        "late",
        "--budget",
        "$5",
    ]);
    let said = refusal(&["it`s".to_owned(), "late".to_owned()], &given);
    assert!(
        said.ends_with("gemicro research --offline --source 'my notes' --budget '$5' 'it`s late'"),
        "{said}"
    );
    let key = format!("AIza{}", "Sy0123456789abcdefghijklmnopqrstuvw");
    let said = refusal(std::slice::from_ref(&key), &arguments(&[&key]));
    assert!(!said.contains(&key), "{said}");
}

#[test]
fn every_exit_code_is_in_the_help() {
    let listed: Vec<u8> = AFTER_HELP
        .lines()
        .skip_while(|line| *line != "Exit codes:")
        .skip(1)
        .map_while(|line| line.split_whitespace().next())
        .filter_map(|code| code.parse().ok())
        .collect();
    assert_eq!(listed, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130]);
    for kind in ErrorKind::ALL {
        assert!(listed.contains(&kind.exit_code()), "{kind}");
    }
}
