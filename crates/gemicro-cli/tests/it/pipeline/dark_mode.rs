//! The example of a dark mode toggle, from the task to the branch: the screen, the history of the branch, its documents,
//! its files and the request, held against golden files.
//!
//! The repository has no workflow of its own: the built-in one is taken, and `npm test` is found as its check.
//!
//! The screen says all that the example's says, in its order, and more. Folders, branch and names of documents are those of the
//! rules, which the example only hints at. Who reviews the plan is named, as every role is. `Tests passed.` is missing from the
//! Developer's line: that is a claim, and gemicro's own line about the checks stands in its place. Merging main, archiving and
//! the request come after the last review, as the phases demand.

use super::push::{colleague_pushes, remote};
use super::scene::{Ran, Scene};
use crate::golden;
use crate::normal::normalise;

const TASK: &str = "Add a simple Dark Mode toggle to the main settings page. Use a checkbox.";
const BRANCH: &str = "task/dark-mode-toggle";
const PROJECT: &str = include_str!("dark_mode/project.sh");
const AGENTS: &str = include_str!("dark_mode/agents.sh");
/// What a colleague writes where the Developer will write.
const THEIR_CHANGELOG: &str =
    "# Changelog\n\n## 1.2.1\n\n- Names can be long.\n\n## 1.2.0\n\n- The name can be changed.\n";

#[test]
fn everybody_is_content() {
    let scene = Scene::of(PROJECT);
    scene.agents(AGENTS);
    let ran = run(&scene);
    assert_eq!(
        ran.outcomes(),
        [
            "plan.1 done",
            "plan_review.1 APPROVE",
            "implementation.1 done",
            "audit.1 PASS",
            "integration.1 up_to_date",
            "delivery.1 done",
        ]
    );
    assert_golden("dark_mode", &scene, &ran);
    // What the example ends with: the user merges it.
    scene.git(&["merge", "--quiet", BRANCH]);
}

#[test]
fn the_auditor_finds_a_fault_and_main_has_moved_on() {
    let scene = Scene::of(PROJECT);
    scene.agents(&format!("forgetful=yes\n{AGENTS}"));
    let bare = remote(&scene);
    colleague_pushes(&scene, "CHANGELOG.md", THEIR_CHANGELOG);
    let ran = run(&scene);
    assert_eq!(
        ran.outcomes(),
        [
            "plan.1 done",
            "plan_review.1 APPROVE",
            "implementation.1 done",
            "audit.1 FAIL",
            "implementation.2 done",
            "audit.2 PASS",
            "integration.1 conflict",
            "conflict_resolution.1 done",
            "merge_review.1 PASS",
            "delivery.1 done",
        ]
    );
    assert_eq!(
        super::scene::git(&bare, &["rev-parse", BRANCH]),
        scene.git(&["rev-parse", BRANCH])
    );
    assert_golden("dark_mode_second_round", &scene, &ran);
}

/// A screen so wide that no line is broken: where it breaks depends on what is masked.
fn run(scene: &Scene) -> Ran {
    let mut command = scene.command(&["run", "--task", TASK]);
    let ran = scene.ran(command.env("COLUMNS", "300"));
    ran.assert_completed();
    scene.assert_main_untouched();
    ran
}

fn assert_golden(story: &str, scene: &Scene, ran: &Ran) {
    let names = names_of_commits(scene);
    let project = scene.project("");
    let folder = project.parent().unwrap();
    let request = scene.world.must(&["show", "last", "--format", "markdown"]);
    let views = [
        ("screen", scene.world.screen(&ran.called)),
        ("history", history(scene)),
        ("documents", documents(scene)),
        ("files", scene.git(&["ls-tree", "-r", "--name-only", BRANCH])),
        ("request", request.stdout),
    ];
    for (view, text) in views {
        let text = names
            .iter()
            .fold(text, |text, (hash, name)| text.replace(hash, name));
        let text = undated(&without_durations(&normalise(&text, folder)));
        golden!(format!("{story}_{view}"), text);
    }
}

/// Every commit of the branch by its place: first those that it was made of, then those that were merged.
fn names_of_commits(scene: &Scene) -> Vec<(String, String)> {
    let own = scene.git(&["rev-list", "--reverse", "--first-parent", BRANCH]);
    let all = scene.git(&["rev-list", "--reverse", BRANCH]);
    let merged = all.lines().filter(|hash| !own.contains(hash));
    let numbered = own.lines().chain(merged).zip(1..);
    let named = |(hash, number): (&str, u32)| {
        let name = format!("COMMIT{number}");
        [(hash.to_owned(), name.clone()), (hash[..7].to_owned(), name)]
    };
    numbered.flat_map(named).collect()
}

fn history(scene: &Scene) -> String {
    let format = "--format=%h %s%nparents %P%nauthor %an <%ae>%ncommitter %cn <%ce>%n%n%b";
    let range = format!("main..{BRANCH}");
    scene.git(&["log", "--reverse", "--first-parent", "--abbrev=7", format, &range])
}

fn documents(scene: &Scene) -> String {
    let paths = scene.git(&["ls-tree", "-r", "--name-only", BRANCH, "docs/"]);
    let documents = paths.lines().map(|path| {
        let text = scene.git(&["show", &format!("{BRANCH}:{path}")]);
        format!("=== {path}\n{text}\n\n")
    });
    documents.collect()
}

/// The text without minutes, and with 0.0s for every number of seconds.
fn without_durations(text: &str) -> String {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    let words = text.split_inclusive([' ', '\n']).map(|word| {
        let start = word.find(|c| c != '(').unwrap_or(word.len());
        let end = word
            .rfind(|c: char| c.is_ascii_alphanumeric())
            .map_or(start, |at| at + 1);
        let (before, bare, after) = (&word[..start], &word[start.min(end)..end], &word[end..]);
        match (bare.strip_suffix('s'), bare.strip_suffix('m')) {
            (Some(number), _) if is_number(number) => format!("{before}0.0s{after}"),
            (_, Some(number)) if is_number(number) => before.to_owned(),
            _ => word.to_owned(),
        }
    });
    words.collect()
}

/// The day in the names of archived documents.
fn undated(text: &str) -> String {
    text.split_inclusive("/")
        .map(|part| match part.split_once("_dark_mode_toggle") {
            Some((day, rest)) if day.len() == 10 && day.starts_with("20") => {
                format!("DATE_dark_mode_toggle{rest}")
            }
            Some(_) | None => part.to_owned(),
        })
        .collect()
}
