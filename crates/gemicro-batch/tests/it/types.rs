//! Task types: what their parameters may be, and which step carries them out.

use gemicro_batch::coverage::{FileScope, OutputFormat};
use gemicro_batch::types::{
    BatchSettings, CoverageInput, MemoryInput, RunInput, RunRequest, ShellInput, TASK_TYPES, TaskContext,
    TaskType, task_type,
};
use gemicro_core::ask::{AgentName, AgentTask, SandboxMode};
use gemicro_core::flow::Step;
use gemicro_core::llm::{DEFAULT_MODEL, LlmRequest};
use gemicro_event::{Json, StepKey};
use serde_json::{Value, json};

use crate::support::settings;

fn named(name: &str) -> &'static TaskType {
    task_type(name).unwrap()
}

fn step(name: &str, parameters: Value) -> Step {
    let settings = settings();
    let making = TaskContext {
        key: StepKey::new("k"),
        settings: &settings,
        max_attempts: Some(4),
        idempotent: false,
        variables: vec![("GEMICRO_REF_1".to_owned(), "v".to_owned())],
    };
    named(name).step(&parameters, making).unwrap()
}

#[test]
fn the_types_there_are() {
    let names: Vec<(&str, &str)> = TASK_TYPES.iter().map(|it| (it.name, it.step_kind)).collect();
    let expected = [
        ("prompt", "llm"),
        ("research", "run"),
        ("agent", "agent_cli"),
        ("execute_shell_command", "shell"),
        ("get_memory_summary", "memory_search"),
        ("query_coverage", "coverage"),
        ("propose_test", "run"),
        ("refine_test", "run"),
        ("propose_strategy", "run"),
        ("pipeline", "run"),
    ];
    assert_eq!(names, expected);
    for it in TASK_TYPES {
        let schema = it.schema();
        assert_eq!(schema["type"], "object", "{}", it.name);
        assert_eq!(schema["additionalProperties"], false, "{}", it.name);
        for (field, of_field) in schema["properties"].as_object().unwrap() {
            let text = of_field.to_string();
            assert!(
                text.contains("description"),
                "{}: {field} has no description",
                it.name
            );
        }
        assert!(it.description.ends_with('.'));
    }
}

#[test]
fn parameters_that_do_not_fit_are_named_with_their_place() {
    for (name, parameters, expected) in [
        ("prompt", json!({}), "/parameters: give `prompt`, or `messages`"),
        (
            "prompt",
            json!({ "prompt": " " }),
            "/parameters/prompt: must not be empty",
        ),
        (
            "prompt",
            json!({ "prompt": 1 }),
            "/parameters/prompt: invalid type: integer `1`, expected a string",
        ),
        (
            "prompt",
            json!({ "prompt": "x", "schema": [] }),
            "/parameters/schema: invalid type: sequence, expected a map",
        ),
        (
            "prompt",
            json!({ "prompt": "x", "temperature": 9 }),
            "/parameters/temperature: between 0 and 2",
        ),
        (
            "prompt",
            json!({ "prompt": "x", "max_output_tokens": 0 }),
            "/parameters/max_output_tokens: between 1 and",
        ),
        (
            "prompt",
            json!({ "prompt": "x", "promt": 0 }),
            "unknown field `promt`",
        ),
        (
            "research",
            json!({ "question": "" }),
            "/parameters/question: must not be empty",
        ),
        (
            "research",
            json!({ "question": "x", "offline": true }),
            "/parameters/sources: without a model",
        ),
        (
            "research",
            json!({ "question": "x", "offline": true, "sources": ["HTTPS://docs.example"] }),
            "/parameters/sources/0: is a web address",
        ),
        (
            "research",
            json!({ "question": "x", "sources": ["../secret"] }),
            "/parameters/sources/0: `../secret` is not inside",
        ),
        (
            "agent",
            json!({ "prompt": "x", "directory": "/etc" }),
            "/parameters/directory: `/etc` is not inside",
        ),
        (
            "agent",
            json!({ "prompt": "x", "sandbox": "danger-full-access" }),
            "/parameters/sandbox: an agent of a batch",
        ),
        (
            "agent",
            json!({ "prompt": "x", "model": "llama" }),
            "/parameters/model: no agent has a model `llama`",
        ),
        (
            "agent",
            json!({ "prompt": "x", "branch": "main" }),
            "/parameters/branch: must begin with `task/`",
        ),
        (
            "agent",
            json!({ "prompt": "x", "agent": "cursor" }),
            "/parameters/agent: unknown variant `cursor`",
        ),
        (
            "execute_shell_command",
            json!({ "command": "" }),
            "/parameters/command: must not be empty",
        ),
        (
            "execute_shell_command",
            json!({ "command": ["ls"] }),
            "/parameters/command: invalid type",
        ),
        (
            "execute_shell_command",
            json!({ "command": "a\u{0}b" }),
            "/parameters/command: must not hold a zero byte",
        ),
        (
            "execute_shell_command",
            json!({ "command": "ls", "cwd": "a/../../b" }),
            "/parameters/cwd: `a/../../b` is not inside",
        ),
        (
            "execute_shell_command",
            json!({ "command": "ls", "timeout_seconds": 0 }),
            "/parameters/timeout_seconds: between 1 and",
        ),
        (
            "execute_shell_command",
            json!({ "command": "ls", "environment": { "LD_PRELOAD": "x" } }),
            "/parameters/environment/LD_PRELOAD: is not",
        ),
        (
            "execute_shell_command",
            json!({ "command": "ls", "environment": { "A-B": "x" } }),
            "/parameters/environment/A-B: is not",
        ),
        (
            "get_memory_summary",
            json!({ "keywords": "x" }),
            "/parameters/keywords: invalid type",
        ),
        (
            "get_memory_summary",
            json!({ "keywords": [""] }),
            "/parameters/keywords/0: must not be empty",
        ),
        (
            "get_memory_summary",
            json!({ "limit": 0 }),
            "/parameters/limit: between 1 and 1000",
        ),
        (
            "query_coverage",
            json!({ "scope": "java" }),
            "/parameters/scope: unknown variant `java`, expected one of `all`, `cpp`, `rust`",
        ),
        (
            "query_coverage",
            json!({ "format": "xml" }),
            "/parameters/format: unknown variant `xml`",
        ),
        (
            "query_coverage",
            json!({ "reports": ["lcov.info", "../lcov.info"] }),
            "/parameters/reports/1: `../lcov.info` is not inside",
        ),
        (
            "query_coverage",
            json!({ "reports": [" "] }),
            "/parameters/reports/0: must not be empty",
        ),
    ] {
        let error = named(name)
            .check(&Json::from(parameters), &settings())
            .unwrap_err();
        assert!(
            error.to_string().contains(expected),
            "{name}: {error}\n  {expected}"
        );
    }
}

#[test]
fn a_place_that_holds_a_reference_is_checked_when_its_value_is_known() {
    let check = |parameters: Value| named("prompt").check(&Json::from(parameters), &settings());
    assert_eq!(
        check(json!({ "prompt": "x", "max_output_tokens": "${a.output.n}" })),
        Ok(())
    );
    assert!(check(json!({ "prompt": "x", "max_output_tokens": "many" })).is_err());
    let agent = named("agent").check(
        &Json::from(json!({ "prompt": "x", "model": "${a.output.model}" })),
        &settings(),
    );
    assert_eq!(agent, Ok(()));
}

#[test]
fn nesting_beyond_reading_is_an_error_of_the_task() {
    let deep = format!(r#"{{"prompt":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    let error = named("prompt")
        .check(&Json::from_text(&deep).unwrap(), &settings())
        .unwrap_err();
    assert!(error.message.contains("recursion limit"), "{error}");
}

#[test]
fn a_prompt_is_a_model_call() {
    let made = step(
        "prompt",
        json!({ "prompt": "p", "system": "s", "schema": { "type": "object" }, "timeout_seconds": 7 }),
    );
    let request: LlmRequest = made.input.parse().unwrap();
    assert_eq!(
        (
            request.prompt.as_str(),
            request.system.as_deref(),
            request.model.as_str()
        ),
        ("p", Some("s"), DEFAULT_MODEL)
    );
    assert_eq!((request.time.total_ms, made.retry.max_attempts), (7_000, 4));
    assert!(made.cost.tokens > 4_096, "its worst case is reserved");
    let it = named("prompt");
    let answer = json!({ "text": "Here: {\"a\": 1}", "usage": { "input_tokens": 1, "output_tokens": 1 }, "interaction_id": null });
    let with_schema = it.output(&made, &Json::from(answer.clone()));
    assert_eq!(
        with_schema.text(),
        r#"{"text":"Here: {\"a\": 1}","json":{"a":1}}"#
    );
    let plain = step("prompt", json!({ "prompt": "p" }));
    assert_eq!(
        it.output(&plain, &Json::from(answer)).text(),
        r#"{"text":"Here: {\"a\": 1}"}"#
    );
}

#[test]
fn an_agent_is_a_step_of_its_own() {
    let made = step(
        "agent",
        json!({ "prompt": "p", "model": "claude-sonnet-4.5", "directory": "./sub//x", "sandbox": "read-only" }),
    );
    let task: AgentTask = made.input.parse().unwrap();
    assert_eq!(
        (task.agent, task.sandbox),
        (AgentName::Claude, SandboxMode::ReadOnly)
    );
    assert_eq!(
        (task.directory.as_str(), task.total_ms),
        ("/srv/project/sub/x", 3_600_000)
    );
}

#[test]
fn research_is_a_run_of_its_own() {
    let made = step(
        "research",
        json!({ "question": "q", "sources": ["docs", "https://example.org/x"] }),
    );
    let input: RunInput = made.input.parse().unwrap();
    let RunRequest::Research(request) = input.request else {
        panic!("a research run");
    };
    assert_eq!(request.sources, ["/srv/project/docs", "https://example.org/x"]);
    let it = named("research");
    let output = json!({ "run_id": "r1", "result": { "answer": "42" } });
    assert_eq!(
        it.output(&made, &Json::from(output)).text(),
        r#"{"answer":"42","run_id":"r1"}"#
    );
    assert_eq!(
        it.output(&made, &Json::from(json!("odd"))).text(),
        r#"{"value":"odd"}"#
    );
}

#[test]
fn a_command_and_a_search_are_data() {
    let made = step(
        "execute_shell_command",
        json!({ "command": "ls -la", "description": "List files", "cwd": "src", "environment": { "A": "b" } }),
    );
    let input: ShellInput = made.input.parse().unwrap();
    assert_eq!(
        (input.workspace.as_str(), input.cwd.as_str()),
        ("/srv/project", "/srv/project/src")
    );
    assert_eq!(
        (input.timeout_ms, input.description.as_deref()),
        (120_000, Some("List files"))
    );
    let variables: Vec<(&str, &str)> = input
        .environment
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(variables, [("A", "b"), ("GEMICRO_REF_1", "v")]);
    let made = step("get_memory_summary", json!({ "keywords": ["OODA"] }));
    let input: MemoryInput = made.input.parse().unwrap();
    assert_eq!((input.keywords, input.limit), (vec!["OODA".to_owned()], 20));
}

#[test]
fn a_query_of_coverage_reads_the_named_reports_or_those_of_the_settings() {
    let made = step(
        "query_coverage",
        json!({ "scope": "all", "format": "minizinc_dzn" }),
    );
    let input: CoverageInput = made.input.parse().unwrap();
    let expected = CoverageInput {
        directory: "/srv/project".to_owned(),
        scope: FileScope::All,
        format: OutputFormat::MinizincDzn,
        reports: Vec::new(),
    };
    assert_eq!(input, expected);
    let settings = BatchSettings {
        coverage_reports: vec!["build/unit.info".to_owned()],
        ..settings()
    };
    for (parameters, reports) in [
        (json!({}), ["build/unit.info"]),
        (json!({ "reports": ["x.xml"] }), ["x.xml"]),
    ] {
        let making = TaskContext {
            key: StepKey::new("k"),
            settings: &settings,
            max_attempts: None,
            idempotent: false,
            variables: Vec::new(),
        };
        let made = named("query_coverage").step(&parameters, making).unwrap();
        let input: CoverageInput = made.input.parse().unwrap();
        assert_eq!(
            (input.reports, input.format),
            (reports.map(str::to_owned).to_vec(), OutputFormat::Json)
        );
    }
}
