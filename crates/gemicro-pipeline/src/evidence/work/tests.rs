//! Work that keeps to its plan, and work that does not.

use std::collections::BTreeMap;

use super::{TreeFiles, faults};
use crate::evidence::PlanBlock;

#[derive(Debug, Clone, Default)]
struct Tree(BTreeMap<String, Vec<u8>>);

impl TreeFiles for Tree {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }
}

impl Tree {
    fn with(mut self, path: &str, text: &str) -> Self {
        self.0.insert(path.to_owned(), text.as_bytes().to_vec());
        self
    }

    fn without(mut self, path: &str) -> Self {
        self.0.remove(path);
        self
    }
}

const REPORT: &str = "docs/dev_docs/reviews/verification_theme.md";

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn plan() -> PlanBlock {
    PlanBlock {
        deliverables: texts(&["src/theme.rs", "-src/old.rs"]),
        docs: texts(&["README.md"]),
        tests: texts(&[
            "tests/theme.rs::ui::toggles",
            "tests/other.rs",
            "stores_the_choice",
        ]),
        checklist: texts(&["The **toggle** works", "Tests pass"]),
        version: None,
        changelog: None,
    }
}

fn base() -> Tree {
    Tree::default()
        .with("README.md", "old")
        .with("VERSION", "1.2.9\n")
        .with("CHANGELOG.md", "# Changes\n")
        .with("src/old.rs", "x")
        .with("tests/other.rs", "fn other() {}")
}

fn tip() -> Tree {
    base()
        .without("src/old.rs")
        .with("README.md", "new")
        .with("VERSION", "1.2.10\n")
        .with("CHANGELOG.md", "# Changes\n- dark mode\n")
        .with("src/theme.rs", "fn x() {}\n#[test] fn stores_the_choice() {}")
        .with("tests/theme.rs", "fn toggles() {}")
        .with(
            REPORT,
            "# Verification\n\n* [X] Tests   pass\n1. [x] The toggle _works_\n- [x] Tests pass\n",
        )
}

fn check(tip: Tree, expected: &[&str]) {
    assert_eq!(faults(&plan(), &base(), &tip, REPORT), expected);
}

#[test]
fn whole_work_has_no_faults() {
    check(tip(), &[]);
}

#[test]
fn deliverables_and_documents_must_exist_and_differ() {
    check(
        tip().without("src/theme.rs"),
        &[
            "the deliverable `src/theme.rs` does not exist: create it and commit it",
            "the test `stores_the_choice` is missing: it is not a file, and no changed deliverable contains this name",
        ],
    );
    check(
        tip().with("README.md", "old"),
        &["the document `README.md` was not changed: the plan says it will be"],
    );
    check(
        tip().with("src/old.rs", "x"),
        &["the plan deletes `src/old.rs`, but it still exists: delete it"],
    );
    let mut plan = plan();
    plan.deliverables = texts(&["src/theme.rs", "-src/never.rs"]);
    let fault = "the plan deletes `src/never.rs`, which did not exist before: correct the plan";
    assert_eq!(faults(&plan, &base(), &tip(), REPORT), [fault]);
}

#[test]
fn version_and_changelog_must_continue() {
    check(
        tip()
            .with("VERSION", "1.2.9")
            .with("CHANGELOG.md", "# Changes\n\n"),
        &[
            "`VERSION` was not changed: every change of the program needs an entry",
            "`CHANGELOG.md` was not changed: every change of the program needs an entry",
        ],
    );
    check(
        tip().with("VERSION", "v1.2"),
        &["`VERSION` has version 1.2, which is not higher than 1.2.9: write the next version"],
    );
    check(
        tip().with("VERSION", "1.2.9-rc1"),
        &["`VERSION` has version 1.2.9, which is not higher than 1.2.9: write the next version"],
    );
    let candidate = base().with("VERSION", "1.2.10-rc1");
    assert_eq!(faults(&plan(), &candidate, &tip(), REPORT), Vec::<String>::new());
    check(
        tip().with("VERSION", "banana"),
        &["`VERSION` is no longer a version (it was 1.2.9): write the next one"],
    );
    check(
        tip().with("CHANGELOG.md", ""),
        &["`CHANGELOG.md` has no new entry: describe what changed"],
    );
    check(
        tip().with("CHANGELOG.md", "# Changes\n\n## 1.2.10\n---\n"),
        &["`CHANGELOG.md` has no new entry: describe what changed"],
    );
    let named = base().with("VERSION", "two-thirds");
    assert_eq!(faults(&plan(), &named, &tip(), REPORT), Vec::<String>::new());
    check(
        tip().without("VERSION"),
        &["`VERSION` was deleted: restore it and bring it up to date"],
    );
}

#[test]
fn a_changelog_keeps_its_history() {
    let history = "# Changes\n- one\n- two\n- three\n- four\n";
    let base = base().with("CHANGELOG.md", history);
    let found = |text: &str| faults(&plan(), &base, &tip().with("CHANGELOG.md", text), REPORT);
    assert_eq!(
        found("# Changes\n- dark mode\n- four\n"),
        ["`CHANGELOG.md` lost 3 of its 4 lines: restore its history"]
    );
    assert_eq!(
        found("# Changes\n- four\n- one\n- two\n"),
        ["`CHANGELOG.md` has no new entry: describe what changed"]
    );
    assert_eq!(
        found(&history.replace("- one\n- two\n", "- dark mode, one and two\n")),
        Vec::<String>::new()
    );
}

#[test]
fn a_planned_version_must_be_made() {
    let base = base().without("VERSION").without("CHANGELOG.md");
    let tip = tip().without("VERSION").without("CHANGELOG.md");
    let mut plan = plan();
    assert_eq!(faults(&plan, &base, &tip, REPORT), Vec::<String>::new());
    plan.version = Some(true);
    plan.changelog = Some(false);
    let fault = "the plan changes VERSION, but the root folder has no such file: create it";
    assert_eq!(faults(&plan, &base, &tip, REPORT), [fault]);
    let tip = tip.with("version.txt", "0.1.0");
    assert_eq!(faults(&plan, &base, &tip, REPORT), Vec::<String>::new());
    plan.docs.push("ChangeLOG.md".to_owned());
    let fault = "the document `ChangeLOG.md` does not exist: create it and commit it";
    assert_eq!(faults(&plan, &base, &tip, REPORT), [fault]);
    let base = base.with("ChangeLOG.md", "a");
    let tip = tip.with("ChangeLOG.md", "a");
    let fault = "the document `ChangeLOG.md` was not changed: the plan says it will be";
    assert_eq!(faults(&plan, &base, &tip, REPORT), [fault]);
}

#[test]
fn planned_tests_must_be_found() {
    check(
        tip().with("tests/theme.rs", "fn toggles_twice() {}"),
        &["the test `tests/theme.rs::ui::toggles` is missing: `tests/theme.rs` has no `toggles`"],
    );
    check(
        tip().without("tests/other.rs"),
        &[
            "the test `tests/other.rs` is missing: it is not a file, and no changed deliverable contains this name",
        ],
    );
    let mut plan = plan();
    plan.deliverables
        .push("docs/dev_docs/plans/plan_theme.md".to_owned());
    let tip = tip()
        .with("src/theme.rs", "fn x() {}")
        .with("docs/dev_docs/plans/plan_theme.md", "stores_the_choice");
    let fault = "the test `stores_the_choice` is missing: it is not a file, and no changed deliverable contains this name";
    assert_eq!(faults(&plan, &base(), &tip, REPORT), [fault]);
}

/// Reports with the faults that they have.
const REPORTS: &[(&str, &[&str])] = &[
    ("- [x] The toggle works\n- [x] Tests pass", &[]),
    ("- [x] The toggle\n  works\n- [x] Tests\tpass", &[]),
    ("- [x] **The toggle works**\n    - [x] `Tests pass`", &[]),
    ("- [x] Tests pass", &[MISSING]),
    ("- [x] Tests pass\n```\n- [x] The toggle works\n```", &[MISSING]),
    (
        "- [x] Tests pass\n~~~~\n```\n- [x] The toggle works\n~~~~",
        &[MISSING],
    ),
    ("- [x] Tests pass\n<!-- - [x] The toggle works -->", &[MISSING]),
    ("- [x] Tests pass\n> - [x] The toggle works", &[MISSING]),
    ("- [x] Tests pass\n- [x]The toggle works", &[MISSING]),
    ("- [x] Tests pass\nThe toggle works [x]", &[MISSING]),
    ("- [x] Tests pass\n- [ ] The toggle works", &[UNTICKED]),
    (
        "- [x] Tests pass\n- [x] The toggle works\n- [ ] The toggle works",
        &[UNTICKED],
    ),
    (
        "- [x] Tests pass\n- [x] The toggle works\n- [ ] Ship it",
        &["`Ship it` is not ticked in `docs/dev_docs/reviews/verification_theme.md`: do it, then tick it"],
    ),
];

const MISSING: &str = "the checklist item `The **toggle** works` is missing from \
    `docs/dev_docs/reviews/verification_theme.md`: add it, with the same wording, as `- [x] …`";
const UNTICKED: &str =
    "`The toggle works` is not ticked in `docs/dev_docs/reviews/verification_theme.md`: do it, then tick it";

#[test]
fn every_item_must_be_ticked() {
    for (report, expected) in REPORTS {
        let found = faults(&plan(), &base(), &tip().with(REPORT, report), REPORT);
        assert_eq!(found, *expected, "{report}");
    }
}

#[test]
fn the_report_must_be_there_new_and_text() {
    check(
        tip().without(REPORT),
        &[
            "the verification report `docs/dev_docs/reviews/verification_theme.md` does not exist: \
          write it with every item of the checklist as `- [x] item`",
        ],
    );
    let earlier = "the verification report `docs/dev_docs/reviews/verification_theme.md` is from earlier work: \
        rewrite it";
    let text = "- [x] The toggle works\n- [x] Tests pass";
    let found = faults(
        &plan(),
        &base().with(REPORT, text),
        &tip().with(REPORT, text),
        REPORT,
    );
    assert_eq!(found, [earlier]);
    let mut odd = tip();
    odd.0.insert(REPORT.to_owned(), vec![0xff, 0xfe]);
    check(
        odd,
        &[
            "the verification report `docs/dev_docs/reviews/verification_theme.md` is not UTF-8 text: rewrite it",
        ],
    );
}
