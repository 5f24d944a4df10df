//! Workflows that are refused: each is a small good one with one change, and all that is said about it.

use super::bad_phases::PHASES;
use crate::workflow::parse;

/// A workflow that is good.
pub(super) const SMALL: &str = "\
workflow: small
version: 1
modes: { direct: plan }
roles:
  architect: { title: Architect, shape: architect, sandbox: documents, prompt: architect.md }
  reviewer: { title: Reviewer, shape: plan_reviewer, sandbox: read-only, prompt: reviewer.md }
  developer:
    title: Developer
    shape: developer
    sandbox: workspace-write
    tools: [read, shell]
    prompt: developer.md
    timeouts: { total: 10m, idle: 2m }
phases:
  - name: plan
    label: A.1
    role: architect
    reads: [request, review?]
    document: docs/dev_docs/plans/plan_[feat].md
    next: review
  - name: review
    label: A.2
    role: reviewer
    reads: [request, plan]
    document: docs/dev_docs/reviews/plan_review_[feat]_v[N].md
    on: { APPROVE: build, REJECT: back }
  - name: build
    label: B
    role: developer
    reads: [plan, conflicts?]
    next: integration
  - name: integration
    label: D
    action: merge
    on: { merged: delivery, up_to_date: delivery, conflict: build }
  - name: delivery
    label: D
    action: deliver
    next: end
rounds: 4
checks:
  - { name: tests, command: make test, tests: true, timeout: 5m }
setup: [make fetch]
carry: [node_modules]
caches: [target]
network: none
max_asks: 2
";

/// Prompts as short as they can be, and some that are wrong.
pub(super) fn prompt(name: &str) -> Option<String> {
    let text = match name {
        "missing.md" => return None,
        "broken.md" => "Line one\n{% if %}",
        "undefined.md" => "{% if round > 99 %}{{ nothing }}{% endif %}",
        "attribute.md" => "First\n{% for file in reads %}{{ file.size }}{% endfor %}",
        "ending.md" => "{{ tag_line }}\n{{ example }}\n```",
        _ => "{{ request }}",
    };
    Some(text.to_owned())
}

#[test]
fn a_small_workflow_is_good() {
    parse(SMALL, &prompt).unwrap();
}

#[test]
fn bad_files_are_refused_with_all_that_is_wrong() {
    for (from, to, expected) in CASES.iter().chain(PHASES) {
        assert!(SMALL.contains(from), "{from}");
        let text = SMALL.replacen(from, to, 1);
        let error = parse(&text, &prompt).expect_err(to);
        assert_eq!(
            error.to_string().lines().collect::<Vec<_>>(),
            *expected,
            "{from} became {to}"
        );
    }
}

/// What is replaced, by what, and the whole answer.
pub(super) type Case = (&'static str, &'static str, &'static [&'static str]);

/// Keys, values, prompts and paths.
const CASES: &[Case] = &[
    (
        "workflow: small\n",
        "workflow: [small\n",
        &["1:11: expected text: put it in quotes"],
    ),
    (
        "max_asks: 2\n",
        "max_asks: 2\nmax_aks: 2\n",
        &[
            "48:1: unknown key `max_aks`, expected one of workflow, version, modes, roles, phases, rounds, checks, setup, carry, caches, network, max_asks, memory_tokens",
        ],
    ),
    ("version: 1", "version: one", &["2:10: expected a whole number"]),
    (
        "version: 1",
        "version: 2",
        &["2:10: version: this version of gemicro supports only version 1: write `version: 1`"],
    ),
    (
        "workflow: small\n",
        "workflow: small\nworkflow: small\n",
        &["2:1: duplicate mapping key: workflow: remove one"],
    ),
    (
        "workflow: small",
        "workflow: \"Small one\"",
        &["1:11: workflow: use at most 40 lowercase letters, digits, `_` and `-`, a letter first"],
    ),
    ("    label: B\n", "", &["30:5: missing key `label`"]),
    (
        "tests: true",
        "tests: yes please",
        &["42:47: expected true or false"],
    ),
    (
        "timeout: 5m",
        "timeout: 5 minutes",
        &["42:62: `5 minutes` is not a duration: write 90s, 30m or 2h, at most 24h"],
    ),
    (
        "total: 10m",
        "total: 25h",
        &["13:24: `25h` is not a duration: write 90s, 30m or 2h, at most 24h"],
    ),
    (
        "idle: 2m",
        "idle: 11m",
        &[
            "13:35: roles.developer.timeouts.idle: it is longer than `total`, so it would never end a step: write less",
        ],
    ),
    (
        "sandbox: documents",
        "sandbox: everything",
        &[
            "5:61: unknown variant `everything`, expected one of read-only, reviews, documents, workspace-write",
        ],
    ),
    (
        "shape: architect,",
        "shape: painter,",
        &[
            "5:41: unknown variant `painter`, expected one of investigator, researcher, lead_analyst, architect, plan_reviewer, developer, auditor, integration_specialist",
        ],
    ),
    (
        "tools: [read, shell]",
        "tools: [read, hammer]",
        &[
            "11:19: unknown variant `hammer`, expected one of read, edit, shell, web_search, codebase_investigator",
        ],
    ),
    (
        "tools: [read, shell]",
        "agent: codex\n    tools: [read, web_search, read]",
        &[
            "12:19: roles.developer.tools.web_search: codex does not have this tool: choose another `agent`, or remove the tool",
            "12:31: roles.developer.tools.read: listed twice: remove one",
        ],
    ),
    (
        "prompt: architect.md }",
        "prompt: architect.md, budget: { max_usd: -1 } }",
        &["5:113: `-1` is not an amount: write US dollars, such as 2.5, more than 0 and at most 10000"],
    ),
    (
        "prompt: architect.md }",
        "prompt: architect.md, budget: { max_tokens: 0 } }",
        &[
            "5:116: roles.architect.budget.max_tokens: with 0 nothing can be done: write 1 or more, or leave it out",
        ],
    ),
    (
        "prompt: developer.md",
        "prompt: missing.md",
        &[
            "12:13: roles.developer.prompt: there is no prompt `missing.md`: create it in the folder of the prompts, or use another one",
        ],
    ),
    (
        "prompt: developer.md",
        "prompt: ../developer.md",
        &[
            "12:13: roles.developer.prompt: write the name of a file in the folder of the prompts, such as developer.md",
        ],
    ),
    (
        "prompt: developer.md",
        "prompt: broken.md",
        &["12:13: roles.developer.prompt: broken.md line 2: syntax error: unexpected end of block"],
    ),
    (
        "prompt: developer.md",
        "prompt: undefined.md",
        &[
            "12:13: roles.developer.prompt: undefined.md: undefined variable `nothing`; there are asked_again, branch, checks, document, example, feature, feedback, label, memory, mode, notes, plan_sections, reads, remarks, request, role_title, round, skill_wanted, skills, tag_line",
        ],
    ),
    (
        "prompt: developer.md",
        "prompt: attribute.md",
        &["12:13: roles.developer.prompt: attribute.md line 2: undefined value"],
    ),
    (
        "carry: [node_modules]",
        "carry: [/etc/passwd]",
        &["44:9: carry.0: write a path relative to the checkout, without `..` and not into .git"],
    ),
    (
        "carry: [node_modules]\ncaches: [target]",
        "carry: [../secrets, .env]\ncaches: [.git/hooks]",
        &[
            "44:9: carry.0: write a path relative to the checkout, without `..` and not into .git",
            "45:10: caches.0: write a path relative to the checkout, without `..` and not into .git",
        ],
    ),
    (
        "network: none",
        "network: some",
        &["46:10: unknown variant `some`, expected one of none, full"],
    ),
    (
        "max_asks: 2",
        "max_asks: 11",
        &["47:11: max_asks: write a number from 0 to 10"],
    ),
    (
        "max_asks: 2",
        "memory_tokens: 20001",
        &["47:16: memory_tokens: write a number from 0 to 20000"],
    ),
    (
        "setup: [make fetch]",
        "setup: ['  ']",
        &["43:9: setup.0: the command is empty: leave it out"],
    ),
    (
        "caches: [target]",
        "checks: []",
        &["45:1: duplicate mapping key: checks: remove one"],
    ),
    (
        "- { name: tests, command: make test, tests: true, timeout: 5m }",
        "- { name: tests, command: a }\n  - { name: tests, command: b }",
        &["43:13: checks.tests: two checks have this name: rename one"],
    ),
    (
        "command: make test,",
        "command: make test || true,",
        &["42:13: checks.tests: it proves nothing: `|| true` hides the exit status of `make test`"],
    ),
    (
        "version: 1",
        "version: 1\n\tx: 1",
        &["2:10: while scanning a plain scalar, found a tab"],
    ),
];
