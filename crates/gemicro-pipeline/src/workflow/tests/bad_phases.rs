//! What can be wrong with modes, phases, their edges, documents and roles.

use super::bad_files::Case;

/// What is replaced, by what, and the whole answer.
pub(super) const PHASES: &[Case] = &[
    (
        "    role: reviewer\n",
        "    role: reviewer\n    human: true\n",
        &[
            "24:12: phases.review.human: write the question that a person is asked, such as \"Shall the audit begin?\"",
        ],
    ),
    (
        "modes: { direct: plan }",
        "modes: {}",
        &["3:8: modes: no mode is defined: write at least `direct: PHASE`"],
    ),
    (
        "modes: { direct: plan }",
        "modes: { direct: design }",
        &[
            "3:18: modes.direct: there is no phase `design`: there are plan, review, build, integration, delivery",
        ],
    ),
    (
        "modes: { direct: plan }",
        "modes: { direct: plan, party: plan }",
        &["3:24: modes.party: there is no such mode: write `bugfix`, `research` or `direct`"],
    ),
    (
        "modes: { direct: plan }",
        "modes: { direct: build }",
        &[
            "15:11: phases.plan: unreachable phase: no mode leads to it; add an edge or leave it out",
            "21:11: phases.review: unreachable phase: no mode leads to it; add an edge or leave it out",
            "30:13: phases.build.reads.plan: undefined artifact on some path to this phase: write `plan?` if it may be missing",
        ],
    ),
    (
        "next: review",
        "next: reviews",
        &[
            "20:11: phases.plan.next: there is no phase `reviews`: there are plan, review, build, integration, delivery",
            "26:27: phases.review.on.REJECT: no phase leads here, so `back` has no target: write the name of a phase",
        ],
    ),
    (
        "    next: review\n",
        "",
        &[
            "15:11: phases.plan.next: it leads nowhere: write `next: PHASE` or `next: end`",
            "25:27: phases.review.on.REJECT: no phase leads here, so `back` has no target: write the name of a phase",
        ],
    ),
    (
        "next: review",
        "on: { done: review }",
        &["20:11: phases.plan.on.done: write `next: PHASE` instead"],
    ),
    (
        "next: review",
        "next: review\n    on: { APPROVE: build }",
        &["21:11: phases.plan.on.APPROVE: it has only one outcome: use `next: PHASE`"],
    ),
    (
        "on: { APPROVE: build, REJECT: back }",
        "on: { APPROVE: build }",
        &["26:9: phases.review.on: missing reject edge: write `REJECT: PHASE`"],
    ),
    (
        "on: { APPROVE: build, REJECT: back }",
        "on: { APPROVE: build, REJECT: back, PASS: build }",
        &["26:41: phases.review.on.PASS: unknown outcome: expected APPROVE, REJECT"],
    ),
    (
        "on: { APPROVE: build, REJECT: back }",
        "next: build",
        &[
            "21:11: phases.review.on: missing approve edge: write `APPROVE: PHASE`",
            "21:11: phases.review.on: missing reject edge: write `REJECT: PHASE`",
            "26:11: phases.review.next: it has several outcomes: use `on` with APPROVE, REJECT",
        ],
    ),
    (
        "up_to_date: delivery, ",
        "",
        &["35:9: phases.integration.on: missing up_to_date edge: write `up_to_date: PHASE`"],
    ),
    (
        "next: end",
        "next: build",
        &[
            "15:11: phases.plan: no path from here to the end: some phase needs `next: end`",
            "21:11: phases.review: no path from here to the end: some phase needs `next: end`",
            "27:11: phases.build: no path from here to the end: some phase needs `next: end`",
            "32:11: phases.integration: no path from here to the end: some phase needs `next: end`",
            "36:11: phases.delivery: no path from here to the end: some phase needs `next: end`",
        ],
    ),
    (
        "modes: { direct: plan }",
        "modes: { direct: review }",
        &[
            "24:22: phases.review.reads.plan: undefined artifact on some path to this phase: write `plan?` if it may be missing",
            "30:13: phases.build.reads.plan: undefined artifact on some path to this phase: write `plan?` if it may be missing",
        ],
    ),
    (
        "rounds: 4",
        "rounds: 21",
        &[
            "15:11: phases.plan.rounds: unbounded loop plan → review → plan: one of them needs `rounds` from 1 to 20",
            "27:11: phases.build.rounds: unbounded loop build → integration → build: one of them needs `rounds` from 1 to 20",
        ],
    ),
    (
        "rounds: 4",
        "rounds: 0",
        &["40:9: rounds: with 0 rounds no phase is ever entered: write 1 or more"],
    ),
    (
        "reads: [request, plan]",
        "reads: [request, design]",
        &[
            "24:22: phases.review.reads.design: undefined artifact: no phase writes it; there are conflicts, diff, plan, request, review",
        ],
    ),
    (
        "reads: [request, plan]",
        "reads: [request, design?, plan, plan?]",
        &["24:37: phases.review.reads.plan: listed twice: remove one"],
    ),
    (
        "reads: [plan, conflicts?]",
        "reads: [plan, conflicts]",
        &[
            "30:19: phases.build.reads.conflicts: undefined artifact on some path to this phase: write `conflicts?` if it may be missing",
        ],
    ),
    (
        "reads: [request, review?]",
        "reads: [request, review, diff]",
        &[
            "18:22: phases.plan.reads.review: undefined artifact on some path to this phase: write `review?` if it may be missing",
            "18:30: phases.plan.reads.diff: undefined artifact on some path to this phase: write `diff?` if it may be missing",
        ],
    ),
    (
        "docs/dev_docs/plans/plan_[feat].md",
        "docs/plans/plan_[feat].md",
        &[
            "19:15: phases.plan.document: documents must be below docs/dev_docs/, but not in docs/dev_docs/archived/",
        ],
    ),
    (
        "docs/dev_docs/plans/plan_[feat].md",
        "docs/dev_docs/plans/../../plan_[feat].md",
        &[
            "19:15: phases.plan.document: documents must be below docs/dev_docs/, but not in docs/dev_docs/archived/",
        ],
    ),
    (
        "docs/dev_docs/plans/plan_[feat].md",
        "docs/dev_docs/plans/plan.md",
        &[
            "19:15: phases.plan.document: use `[feat]` once, `_v[N]` at most once, letters, digits, `_` and `-`, and .md at the end",
        ],
    ),
    (
        "docs/dev_docs/plans/plan_[feat].md",
        "docs/dev_docs/reviews/plan_review_[feat]_v[N].md",
        &["25:15: phases.review.document: `plan` has the same document: give each phase its own"],
    ),
    (
        "    document: docs/dev_docs/plans/plan_[feat].md\n",
        "",
        &[
            "15:11: phases.plan.document: its role answers with a path: write a document such as docs/dev_docs/reviews/plan_[feat].md",
            "23:22: phases.review.reads.plan: undefined artifact: no phase writes it; there are conflicts, diff, request, review",
            "29:13: phases.build.reads.plan: undefined artifact: no phase writes it; there are conflicts, diff, request, review",
        ],
    ),
    (
        "sandbox: read-only",
        "sandbox: workspace-write",
        &[
            "6:63: roles.reviewer.sandbox: a reviewer must not change what it reviews: write `read-only` or `reviews`",
        ],
    ),
    (
        "sandbox: workspace-write",
        "sandbox: documents",
        &["10:14: roles.developer.sandbox: the role commits code: write `workspace-write`"],
    ),
    (
        "sandbox: documents",
        "sandbox: read-only",
        &[
            "5:61: roles.architect.sandbox: the role writes a document itself: write `reviews` for a reviewer, else `documents`",
        ],
    ),
    (
        "sandbox: documents",
        "sandbox: reviews",
        &["19:15: phases.plan.document: its role can only write below docs/dev_docs/reviews/"],
    ),
    (
        "role: developer",
        "role: programmer",
        &[
            "29:11: phases.build.role: there is no role `programmer`: there are architect, developer, reviewer",
        ],
    ),
    (
        "role: developer",
        "role: developer\n    action: merge",
        &["27:11: phases.build: write either `role` or `action` (`merge`, `deliver`)"],
    ),
    (
        "    action: deliver\n",
        "",
        &["36:11: phases.delivery: write either `role` or `action` (`merge`, `deliver`)"],
    ),
    (
        "action: deliver",
        "action: deliver\n    reads: [plan]",
        &["36:11: phases.delivery: `reads` and `document` belong to a `role`: an `action` has neither"],
    ),
    (
        "action: deliver",
        "action: celebrate",
        &["38:13: unknown variant `celebrate`, expected one of merge, deliver"],
    ),
    (
        "name: delivery",
        "name: build",
        &["36:11: phases.build: two phases have this name: rename one"],
    ),
    (
        "name: delivery",
        "name: end",
        &[
            "35:11: phases.integration.on.merged: there is no phase `delivery`: there are plan, review, build, integration, end",
            "35:29: phases.integration.on.up_to_date: there is no phase `delivery`: there are plan, review, build, integration, end",
            "36:11: phases.end: this name is reserved: choose another",
        ],
    ),
    (
        "name: build",
        "name: Build",
        &[
            "26:11: phases.review.on.APPROVE: there is no phase `build`: there are plan, review, Build, integration, delivery",
            "27:11: phases.Build: use at most 40 lowercase letters, digits, `_` and `-`, a letter first",
            "35:51: phases.integration.on.conflict: there is no phase `build`: there are plan, review, Build, integration, delivery",
        ],
    ),
    (
        "label: A.1",
        "label: \"A\\n1\"",
        &["16:12: phases.plan.label: write one line of text, at most 200 characters"],
    ),
];
