//! README.md and docs/: command lines parse, examples run and print what the pages show.
//!
//! CONTRIBUTING.md describes the conventions. `GEMICRO_BLESS_DOCS=1` writes new outputs into the pages.

mod command_lines;
mod page;
mod rehearsal;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::program::World;
use page::Page;

/// One test per page: it checks the command lines and runs the examples.
macro_rules! pages {
    ($($name:ident: $path:literal,)*) => {
        const PAGES: &[&str] = &[$($path),*];
        $(
            #[test]
            fn $name() {
                rehearsal::check(&repository().join($path));
            }
        )*
    };
}

pages! {
    readme: "README.md",
    docs_readme: "docs/README.md",
    agents: "docs/agents.md",
    batch: "docs/batch.md",
    budgets: "docs/budgets.md",
    chat: "docs/chat.md",
    conversations: "docs/conversations.md",
    costs: "docs/costs.md",
    coverage: "docs/coverage.md",
    crash_safety: "docs/crash-safety.md",
    events: "docs/events.md",
    exit_codes: "docs/exit-codes.md",
    forges: "docs/forges.md",
    getting_started: "docs/getting-started.md",
    guard: "docs/guard.md",
    http: "docs/http.md",
    keys: "docs/keys.md",
    local_models: "docs/local-models.md",
    mcp: "docs/mcp.md",
    memory: "docs/memory.md",
    notifications: "docs/notifications.md",
    ooda: "docs/ooda.md",
    pipeline: "docs/pipeline.md",
    several_tasks: "docs/several-tasks.md",
    recordings: "docs/recordings.md",
    research: "docs/research.md",
    shared_store: "docs/shared-store.md",
    simulator: "docs/simulator.md",
    workflows: "docs/workflows.md",
    example_cpp: "examples/ooda-cpp/README.md",
    example_rust: "examples/ooda-rust/README.md",
}

fn repository() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_owned()
}

#[test]
fn every_page_has_a_test() {
    let files = std::fs::read_dir(repository().join("docs")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let found: BTreeSet<String> = names
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"))
        .collect();
    let tested = PAGES.iter().filter(|page| page.starts_with("docs/"));
    assert_eq!(found, tested.map(|page| (*page).to_owned()).collect());
}

#[test]
fn the_readme_names_tests_that_exist() {
    let readme = Page::read(&repository().join("README.md"));
    let is_test =
        |span: &&String| span.len() > 20 && span.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
    let names: Vec<&String> = readme.spans.iter().filter(is_test).collect();
    assert!(names.len() >= 10, "{names:?}");
    let mut sources = String::new();
    read_sources(&repository().join("crates"), &mut sources);
    for name in names {
        assert!(
            sources.contains(&format!("fn {name}(")),
            "README.md names the test {name}, which does not exist"
        );
    }
}

fn read_sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn the_flowchart_of_the_guide_is_that_of_the_program() {
    let page = Page::read(&repository().join("docs/workflows.md"));
    let chart = page.blocks.iter().find(|block| block.info == "mermaid").unwrap();
    let printed = World::new().must(&["workflow", "show", "--format", "mermaid"]);
    assert_eq!(chart.text, printed.stdout);
}

#[test]
fn a_command_line_that_the_program_does_not_know_is_a_problem() {
    for (text, expected) in [
        ("Use `gemicro ask --bogus`.", "--bogus"),
        ("Use `gemicro frobnicate`.", "frobnicate"),
        ("Use `--bogus`.", "--bogus"),
        ("```sh\nls | gemicro ask - --bogus\n```\n", "--bogus"),
        (
            "```console no-run\n$ A=1 gemicro runs --status never\nrun\n```\n",
            "never",
        ),
        ("```sh\ncargo run --release -- runs --bogus\n```\n", "--bogus"),
    ] {
        let problems = command_lines::problems(&Page::parse(text));
        assert_eq!(problems.len(), 1, "{text}: {problems:?}");
        assert!(problems[0].contains(expected), "{problems:?}");
    }
    let good = "Use `gemicro ask \"…\"`, `--budget 5k`, `npm --bogus`.\n```sh\ngemicro runs # --bogus\nls --bogus\n```\n";
    assert_eq!(command_lines::problems(&Page::parse(good)), [""; 0]);
}

#[test]
fn an_output_that_the_program_does_not_print_is_a_problem() {
    let differs = |text: &str| !rehearsal::problems(&mut Page::parse(text)).is_empty();
    assert!(!differs("```console\n$ printf 'a\\nb\\nc\\n'\na\n…\nc\n```\n"));
    assert!(differs("```console\n$ printf 'a\\nb\\nc\\n'\na\nc\n```\n"));
    assert!(differs("```console\n$ gemicro runs --bogus\n…\n```\n"));
    assert!(differs("```console fails\n$ gemicro --version\n…\n```\n"));
    assert!(differs("```console\n$ echo a; false\na\n```\n"));
}
