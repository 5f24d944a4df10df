//! Scenario files: the built-in ones, the examples, and what is said about bad ones.

use gemicro_sim::scenario::{BUILTIN, RuleAction, Scenario};

#[test]
fn built_in_scenarios_are_read() {
    for (name, _) in BUILTIN {
        assert_eq!(Scenario::builtin(name).unwrap().name, *name);
    }
    let error = Scenario::builtin("nobody").unwrap_err().to_string();
    assert!(
        error.starts_with("no built-in scenario `nobody`; there are default, research, perfect, liar"),
        "{error}"
    );
}

#[test]
fn examples_are_read_and_written_again() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut n_read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let scenario = Scenario::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let yaml = scenario.to_yaml().unwrap();
        assert_eq!(
            Scenario::parse("again", &yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}")),
            scenario
        );
        n_read += 1;
    }
    assert!(n_read >= 3);
}

/// File, and the whole message.
const BAD: &[(&str, &str)] = &[
    ("", "s.yaml:1:1: the file is empty: expected a scenario"),
    ("scenario: [a", "s.yaml:1:11: expected string scalar"),
    (
        "scenario: a\nruls: []\n",
        "s.yaml:2:1: unknown field `ruls`, expected one of scenario, description, otherwise, models, rules",
    ),
    (
        "scenario: a\nrules:\n  - {}\n",
        "s.yaml:3:5: the rule does nothing: expected `reply`, `fault` or `raw`",
    ),
    (
        "scenario: a\nrules:\n  - reply: {}\n    raw: { status: 200 }\n",
        "s.yaml:3:5: `raw` is a whole response",
    ),
    (
        "scenario: a\nrules:\n  - reply: { text: x, json: {} }\n",
        "s.yaml:3:5: expected only one of `text`, `json` and `persona`",
    ),
    (
        "scenario: a\nrules:\n  - reply: { persona: liar, knows: q.jsonl }\n",
        "s.yaml:3:5: `knows` needs `persona: perfect`",
    ),
    (
        "scenario: a\nrules:\n  - reply: { text: x }\n    fault: { html: {} }\n",
        "s.yaml:3:5: an HTTP error has no answer",
    ),
    (
        "scenario: a\nrules:\n  - fault: { http: { status: 200 } }\n",
        "s.yaml:3:30: HTTP status 200 is not an error; expected 400 to 599",
    ),
    (
        "scenario: a\nrules:\n  - fault: explode\n",
        "s.yaml:3:12: unknown variant `explode`, expected one of http, html, rate_limit, ",
    ),
    (
        "scenario: a\nrules:\n  - every: 0\n    fault: garbage\n",
        "s.yaml:3:5: invalid value: integer `0`, expected a nonzero u64",
    ),
    (
        "scenario: a\nrules:\n  - times: many\n    fault: garbage\n",
        "s.yaml:3:12: expected a whole number",
    ),
    (
        "scenario: a\nrules:\n  - when: { endpoint: chat }\n    fault: garbage\n",
        "s.yaml:3:13: unknown variant `chat`, expected one of interactions, get_interaction",
    ),
    (
        "scenario: a\nrules:\n  - when: { api: [gemini, claude] }\n    fault: garbage\n",
        "s.yaml:3:27: unknown variant `claude`, expected one of gemini, openai, anthropic",
    ),
    (
        "scenario: a\nrules:\n  - when: { tool_result: '' }\n    fault: garbage\n",
        "s.yaml:3:26: an empty pattern matches nothing",
    ),
    (
        "scenario: a\nrules:\n  - when: { model: '' }\n    fault: garbage\n",
        "s.yaml:3:20: an empty pattern matches nothing",
    ),
    (
        "scenario: a\nrules:\n  - reply:\n      text: \"{{promt}}\"\n",
        "s.yaml:4:13: unknown field `{{promt}}`: expected prompt, model, system",
    ),
    (
        "scenario: a\nrules:\n  - reply:\n      text: \"[[x]]\"\n",
        "s.yaml:4:13: `[[x]]` has no URL: expected [[text|url]]",
    ),
    (
        "scenario: a\nrules:\n  - reply:\n      chunks: { sizes: [0] }\n",
        "s.yaml:4:25: invalid value: integer `0`, expected a nonzero usize",
    ),
    (
        "scenario: a\nscenario: b\n",
        "s.yaml:2:1: duplicate mapping key: scenario",
    ),
    (
        "scenario: a\nrules:\n  - reply: { persona: genius }\n",
        "s.yaml:3:23: unknown variant `genius`, expected one of helper, perfect",
    ),
    (
        "scenario: a\nrules:\n  - reply: { gate: {} }\n",
        "s.yaml:3:20: missing field `name`",
    ),
];

#[test]
fn errors_name_the_place() {
    let mut wrong = Vec::new();
    for (text, expected) in BAD {
        let error = Scenario::parse("s.yaml", text).unwrap_err().to_string();
        println!("{error}");
        if !error.starts_with(expected) {
            wrong.push(format!("{text}\n  expected {expected}\n  found    {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_file_is_named() {
    let error = Scenario::load(std::path::Path::new("no/such.yaml"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("cannot read the scenario no/such.yaml: "),
        "{error}"
    );
}

/// A folder with a scenario whose model knows `questions.jsonl`.
fn folder_of_knowledge(name: &str, questions: Option<&str>) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("gemicro-sim-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder is there");
    let scenario = "scenario: a\nrules:\n  - reply: { persona: perfect, knows: questions.jsonl }\n";
    std::fs::write(folder.join("s.yaml"), scenario).expect("it can be written to");
    if let Some(questions) = questions {
        std::fs::write(folder.join("questions.jsonl"), questions).expect("it can be written to");
    }
    folder
}

#[test]
fn what_a_model_knows_is_read_from_beside_the_scenario() {
    let good = r#"{"id": "1", "question": "Why?", "gold": [{"doc": "a.md", "span": "So."}], "answer_terms": ["so"]}"#;
    let folder = folder_of_knowledge("good", Some(&format!("{good}\n\n")));
    let scenario = Scenario::load(&folder.join("s.yaml")).unwrap_or_else(|error| panic!("{error}"));
    let RuleAction::Answer { reply, .. } = &scenario.rules[0].action else {
        panic!("a rule that answers");
    };
    let knowledge = reply.knows.as_ref().unwrap();
    assert_eq!(knowledge.questions.len(), 1);
    assert_eq!(knowledge.questions[0].gold[0].doc, "a.md");
    assert!(scenario.to_yaml().unwrap().contains("knows: questions.jsonl"));
    std::fs::remove_dir_all(folder).unwrap();

    for (name, questions, expected) in [
        ("missing", None, "cannot read what the model knows, "),
        (
            "broken",
            Some("{}\n"),
            "questions.jsonl:1:2: missing field `question`",
        ),
        (
            "second",
            Some("{\"question\": \"Why?\"}\n{\"question\": 3}\n"),
            "questions.jsonl:2:14: invalid type: integer `3`, expected a string",
        ),
    ] {
        let folder = folder_of_knowledge(name, questions);
        let error = Scenario::load(&folder.join("s.yaml")).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
