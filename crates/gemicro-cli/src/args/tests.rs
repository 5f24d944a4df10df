//! Tests of the command tree, the short form and the help.

use std::ffi::OsString;

use gemicro_event::ErrorKind;

use super::cli::{command_names, tree};
use super::help::AFTER_HELP;
use super::parse::{try_parse, with_research};
use super::short_form::{is_question, refusal};

fn arguments(texts: &[&str]) -> Vec<OsString> {
    std::iter::once(&"gemicro")
        .chain(texts)
        .map(OsString::from)
        .collect()
}

/// Calls a function with every command of the tree and the words that name it.
fn for_each_command(tree: &clap::Command, path: &str, visit: &mut impl FnMut(&str, &clap::Command)) {
    visit(path, tree);
    for command in tree.get_subcommands().filter(|it| it.get_name() != "help") {
        for_each_command(command, &format!("{path} {}", command.get_name()), visit);
    }
}

/// What `--help` of every command prints.
fn help_pages() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for_each_command(&tree(), "gemicro", &mut |path, _| paths.push(path.to_owned()));
    let page = |path: &String| {
        let call = path.split(' ').chain(["--help"]);
        let page = tree().try_get_matches_from(call).expect_err(path).to_string();
        page.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    };
    paths
        .into_iter()
        .map(|path| (path.clone(), page(&path)))
        .collect()
}

/// Splits a line as a shell does, as far as the examples need it.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(end), _) if letter == end => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[test]
fn the_tree_is_sound_and_its_groups_list_every_command() {
    let tree = tree();
    tree.clone().debug_assert();
    let names: Vec<&str> = tree.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(names, command_names().collect::<Vec<_>>());
}

#[test]
fn every_help_page_is_as_reviewed() {
    let pages = help_pages()
        .into_iter()
        .map(|(path, page)| format!("$ {path} --help\n{page}"));
    insta::assert_snapshot!("help_pages", pages.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn help_pages_fit_a_terminal_of_80_columns() {
    for (path, page) in help_pages() {
        for line in page.lines() {
            assert!(line.chars().count() <= 80, "{path}: {line}");
        }
    }
}

#[test]
fn every_example_is_a_call_that_parses() {
    let mut n_examples = 0;
    for (path, page) in help_pages() {
        let examples = page.lines().skip_while(|line| *line != "Examples:").skip(1);
        for line in examples.take_while(|line| line.starts_with("  ")) {
            let words = shell_words(line.trim().split(" < ").next().unwrap_or_default());
            // What is piped into the call, or reads from it, is not ours.
            let mut parts = words.split(|word| word == "|");
            let call = parts.find(|part| part.first().is_some_and(|word| word == "gemicro"));
            let call = call.unwrap_or_else(|| panic!("{path}: {line}"));
            if let Err(error) = try_parse(with_research(call.iter().map(OsString::from).collect())) {
                panic!("{path}: {line}\n{error}");
            }
            n_examples += 1;
        }
    }
    assert!(n_examples > 40, "{n_examples}");
}

#[test]
fn shared_options_belong_to_the_commands_that_take_them() {
    for (call, is_taken) in [
        ("gemicro --store x runs", true),
        ("gemicro runs --store x -v", true),
        ("gemicro --store x -v batch list", true),
        ("gemicro batch --store x list", true),
        ("gemicro --day-budget 2M batch submit tasks.json", true),
        ("gemicro batch list --day-budget 2M", false),
        ("gemicro --day-budget 2M batch list", false),
        ("gemicro --day-budget 2M runs", false),
        ("gemicro --store x completions bash", false),
        ("gemicro completions bash --store x", false),
        ("gemicro -v schema", false),
    ] {
        let read = try_parse(call.split(' ').map(OsString::from).collect());
        assert_eq!(read.is_ok(), is_taken, "{call}: {:?}", read.err());
    }
    let read = try_parse(arguments(&[
        "--store",
        "a",
        "batch",
        "--day-budget",
        "2M",
        "submit",
        "-v",
        "x",
    ]));
    let options = read.expect("every option is taken").options;
    assert_eq!(options.store.as_deref(), Some("a"));
    assert_eq!(options.day_budget.as_deref(), Some("2M"));
    assert!(options.verbose);
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
        &["list all runs"],
        &["Show me last"],
        &["tail the log last"],
        &["resume last run please"],
        &["show runs"],
        &["show me yrhhp1w0 again"],
        &["delete all the old batches"],
        &["shw me the last run?"],
        &["serach docs"],
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
        &["Compare Raft and Paxos"],
        &["Show how TLS works"],
        &["List the moons of Jupiter"],
        &["Run time of quicksort"],
        &["Batch normalization in neural networks"],
        &["What runs last?"],
        &["Which events?"],
        &["Show me RFC 9110 in short"],
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
        ("wait", "batch wait"),
        ("wiat", "batch wait"),
        ("submit", "batch submit"),
        ("Status", "show"),
        ("serach", "research"),
        ("last", "show last"),
        ("8f3kq0zz", "show 8f3kq0zz"),
    ] {
        let said = refusal(&[typed.to_owned()], &arguments(&[typed]));
        assert!(said.contains(&format!("`gemicro {command}`")), "{said}");
        assert!(said.ends_with(&format!("gemicro research {typed}")), "{said}");
    }
    let said = refusal(
        &["wait".to_owned(), "last".to_owned()],
        &arguments(&["wait", "last"]),
    );
    assert!(said.contains("Did you mean `gemicro batch wait last`?"), "{said}");
    for (quoted, commands) in [
        ("resume last run please", "`gemicro resume last`?"),
        ("show me last", "`gemicro show last`?"),
        (
            "tail the log last",
            "`gemicro events last` or `gemicro show last`?",
        ),
        ("list all runs", "`gemicro runs`, "),
        ("show runs", "`gemicro show` or `gemicro runs`?"),
        ("runs --limit 3", "`gemicro runs --limit 3`?"),
    ] {
        let said = refusal(&[quoted.to_owned()], &arguments(&[quoted]));
        assert!(said.contains(&format!("Did you mean {commands}")), "{said}");
        assert!(said.ends_with(&format!("gemicro research '{quoted}'")), "{said}");
    }
    let said = refusal(&["show last".to_owned()], &arguments(&["show last"]));
    assert!(
        said.starts_with("error: `show last` begins with a command; "),
        "{said}"
    );
    for unrelated in ["helo", "quit", "deploy"] {
        let said = refusal(&[unrelated.to_owned()], &arguments(&[unrelated]));
        assert!(said.contains("`gemicro --help` lists the commands."), "{said}");
    }
    let said = refusal(
        &["logs".to_owned()],
        &arguments(&["--offline", "logs", "-f", "--limit", "3", "--json"]),
    );
    assert!(said.ends_with("gemicro research --offline logs"), "{said}");
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
