//! Tests of the command tree, the short form and the help.

use std::ffi::OsString;

use clap::CommandFactory;
use gemicro_event::ErrorKind;

use super::Cli;
use super::help::AFTER_HELP;
use super::parse::{COMMANDS, misspelt_command, with_research};

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
fn one_misspelt_word_is_no_question() {
    assert_eq!(misspelt_command(&arguments(&["shwo"])), Some("show"));
    assert_eq!(misspelt_command(&arguments(&["runs"])), None);
    assert_eq!(misspelt_command(&arguments(&["Why?"])), None);
    assert_eq!(misspelt_command(&arguments(&["shwo", "x"])), None);
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
    assert_eq!(listed, [0, 1, 2, 3, 4, 5, 6, 7, 8, 130]);
    for kind in ErrorKind::ALL {
        assert!(listed.contains(&kind.exit_code()), "{kind}");
    }
}
