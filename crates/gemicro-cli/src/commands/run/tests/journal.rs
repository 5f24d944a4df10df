//! Journals of pipelines, made by hand: one that goes straight, one that meets everything that can be in the way.

use gemicro_engine::pipeline::workflow::default_workflow;
use gemicro_event::{AgentUpdate, Event, Json, SCHEMA_VERSION, StepKey, StreamId, Timestamp};
use serde_json::{Value, json};

const ELEVEN: i64 = 1_794_826_800_000;
const TREE: &str = "9c1185a5c5e9fc54612808977ee8f548b2258d31";
const PLAN: &str = "docs/dev_docs/plans/plan_dark-mode-toggle.md";

/// Events of one run, each some seconds after the one before.
pub(super) struct Journal {
    pub(super) events: Vec<Event>,
    seconds: i64,
}

impl Journal {
    /// The first event, with the workflow of the binary changed by `change`.
    fn begin(change: impl FnOnce(&mut Value)) -> Self {
        let mut plan = json!({
            "directory": "/projects/app",
            "task": "Add a dark mode toggle to the settings page.",
            "mode": "direct",
            "feature": "dark-mode-toggle",
            "branch": "task/dark-mode-toggle",
            "workflow": default_workflow(),
            "agent": "gemini",
            "push": true,
            "seed": "nobody knows",
        });
        change(&mut plan);
        let mut journal = Self {
            events: Vec::new(),
            seconds: 0,
        };
        let data = json!({ "flow": "pipeline", "flow_version": 1, "program": "test", "title": "Add a dark mode toggle",
            "plan": plan });
        journal.fact(0, "run_started", data);
        journal
    }

    /// The branch is made, and the tests pass on its base.
    fn prepared(mut self) -> Self {
        self.fact(
            1,
            "pipeline_prepared",
            json!({ "feature": "dark-mode-toggle", "mode": "direct", "prepared": {
                "branch": "task/dark-mode-toggle", "base": commit('a'), "tip": commit('a'),
                "main": { "name": "main", "commit": commit('a'), "remote": "origin" },
                "handover": "/state/tasks/x/handover", "worktree": "/projects/.worktrees/dark-mode-toggle",
                "protection": "main of GitHub octo/app is not protected: force pushes are not blocked",
                "evidence": evidence(12),
                "notes": ["main of GitHub octo/app is not protected: force pushes are not blocked"],
            } }),
        );
        self
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(ELEVEN + self.seconds * 1_000)
    }

    fn fact(&mut self, after: i64, event_type: &str, data: Value) {
        self.add(after, event_type, "", data);
    }

    fn add(&mut self, after: i64, event_type: &str, message: &str, data: Value) {
        self.seconds += after;
        self.events.push(Event {
            stream: StreamId::new("k3v9k3v9k3v9k3v9").unwrap(),
            seq: self.events.len() as u64 + 1,
            schema_version: SCHEMA_VERSION,
            update: AgentUpdate {
                event_type: event_type.to_owned(),
                message: message.to_owned(),
                timestamp: self.now(),
                data: Json::from(data),
            },
            step: None,
            parent_run: None,
            trace: None,
            extra: Vec::new(),
        });
    }

    fn started(&mut self, (phase, label): (&str, &str), round: u32, role: Option<&str>) {
        let agent = role.map(|_| "gemini");
        self.fact(
            1,
            "phase_started",
            json!({ "phase": phase, "label": label, "role": role, "agent": agent, "round": round }),
        );
    }

    /// An agent ends its step and answers, after some seconds.
    fn answered(
        &mut self,
        after: i64,
        (phase, round): (&str, u32),
        (role, shape): (&str, &str),
        payload: Value,
    ) {
        let step = StepKey::new(format!("{phase}.{round}:agent.1"));
        let charge = json!({ "tokens": 12_345, "micro_usd": 20_000, "turns": 4 });
        self.fact(
            after,
            "step_completed",
            json!({ "step": step, "attempt": 1, "output": {}, "charge": charge }),
        );
        self.fact(
            0,
            "phase_answered",
            json!({ "phase": phase, "round": round, "ask": 1, "role": role, "state": "ok", "tagged": true,
                "payload": { "shape": shape, "value": payload } }),
        );
    }

    fn taken(&mut self, (phase, round): (&str, u32), new: char, more: Value) {
        let mut taken = json!({ "old": commit('a'), "new": commit(new), "commits": [[commit(new), "Add the toggle"]],
            "n_files": 2, "insertions": 40, "deletions": 3, "tree": TREE });
        taken
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.fact(
            1,
            "phase_imported",
            json!({ "phase": phase, "round": round, "taken": taken }),
        );
    }

    fn ended(&mut self, (phase, label): (&str, &str), round: u32, outcome: &str, more: Value) {
        let mut ended = json!({ "phase": phase, "label": label, "round": round, "outcome": outcome,
            "commit": commit('c'), "tree": TREE });
        ended
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.fact(0, "phase_ended", ended);
    }
}

pub(super) fn commit(letter: char) -> String {
    letter.to_string().repeat(40)
}

fn evidence(n_tests: u64) -> Value {
    json!({ "tree": TREE, "checks": [{ "name": "tests", "command": "make test",
        "verdict": { "verdict": "passed", "n_tests": n_tests }, "took_ms": 2_100 }] })
}

/// From the plan to the request, without a detour.
pub(super) fn straight() -> Journal {
    let mut journal = Journal::begin(|_| {}).prepared();
    let plan = ("plan", "A.1");
    journal.started(plan, 1, Some("Architect"));
    journal.answered(
        43,
        ("plan", 1),
        ("Architect", "architect"),
        json!({ "plan_path": PLAN }),
    );
    journal.taken(("plan", 1), 'b', json!({}));
    journal.ended(
        plan,
        1,
        "done",
        json!({ "document": PLAN, "next": "plan_review" }),
    );
    let review = ("plan_review", "A.2");
    journal.started(review, 1, Some("Plan Reviewer"));
    journal.answered(
        20,
        ("plan_review", 1),
        ("Plan Reviewer", "plan_reviewer"),
        json!({ "verdict": "APPROVE" }),
    );
    let written = "docs/dev_docs/reviews/plan_review_dark-mode-toggle_v1.md";
    let recorded = json!({ "new": commit('b'), "tree": TREE, "paths": [written] });
    journal.fact(
        1,
        "phase_recorded",
        json!({ "phase": "plan_review", "round": 1, "recorded": recorded }),
    );
    journal.ended(
        review,
        1,
        "APPROVE",
        json!({ "document": written, "next": "implementation" }),
    );
    let work = ("implementation", "B");
    journal.started(work, 1, Some("Developer"));
    let done =
        json!({ "commit_hash": commit('c'), "status": "success", "backlog_items": ["A theme per user"] });
    journal.answered(250, ("implementation", 1), ("Developer", "developer"), done);
    journal.taken(
        ("implementation", 1),
        'c',
        json!({ "reports": ["package.json: scripts changed"] }),
    );
    journal.fact(
        3,
        "phase_checked",
        json!({ "phase": "implementation", "round": 1, "evidence": evidence(14) }),
    );
    journal.ended(work, 1, "done", json!({ "next": "audit" }));
    let audit = ("audit", "C");
    journal.started(audit, 1, Some("Auditor"));
    let report = "docs/dev_docs/reviews/code_review_dark-mode-toggle_v1.md";
    let pass = json!({ "verdict": "PASS", "review_path": report });
    journal.answered(48, ("audit", 1), ("Auditor", "auditor"), pass);
    journal.taken(("audit", 1), 'd', json!({}));
    journal.ended(
        audit,
        1,
        "PASS",
        json!({ "document": report, "next": "integration" }),
    );
    journal.started(("integration", "D"), 1, None);
    let merged = json!({ "main": { "name": "main", "commit": commit('a'), "remote": "origin" }, "outcome": "up_to_date",
        "new": commit('d'), "tree": TREE });
    journal.fact(
        1,
        "branch_merged",
        json!({ "phase": "integration", "round": 1, "merged": merged }),
    );
    journal.ended(
        ("integration", "D"),
        1,
        "up_to_date",
        json!({ "next": "delivery" }),
    );
    journal.started(("delivery", "D"), 1, None);
    let archived = json!({ "new": commit('e'), "tree": TREE, "paths": ["docs/dev_docs/archived/a.md", "docs/dev_docs/archived/b.md"] });
    journal.fact(
        1,
        "phase_recorded",
        json!({ "phase": "delivery", "round": 1, "recorded": archived }),
    );
    let delivered =
        json!({ "commit": commit('e'), "remote": "origin", "url": "https://github.com/octo/app/pull/7" });
    journal.fact(
        2,
        "pipeline_delivered",
        json!({ "phase": "delivery", "round": 1, "delivered": delivered }),
    );
    journal.ended(("delivery", "D"), 1, "done", json!({}));
    journal.add(
        0,
        "final_result",
        "Pipeline Success! Branch 'task/dark-mode-toggle' is open for review at https://github.com/octo/app/pull/7.",
        json!({ "answer": "# Add a dark mode toggle", "branch": "task/dark-mode-toggle",
            "metadata": { "total_tokens": 49_380, "duration_ms": 374_000, "sub_queries_succeeded": 0, "sub_queries_failed": 0,
                "micro_usd": 80_000, "unpriced": false } }),
    );
    journal
}

/// Everything that can be in the way: answers without a result, denials, refusals, overruled verdicts, a conflict.
pub(super) fn troubled() -> Journal {
    let mut journal = Journal::begin(|plan| {
        let phases = plan["workflow"]["phases"].as_array_mut().unwrap();
        let audit = phases.iter_mut().find(|phase| phase["name"] == "audit").unwrap();
        audit["human"] = json!("Is the toggle where you want it?");
    })
    .prepared();
    let work = ("implementation", "B");
    journal.started(work, 1, Some("Developer"));
    journal.fact(
        60,
        "phase_answered",
        json!({ "phase": "implementation", "round": 1, "ask": 1, "role": "Developer", "state": "missing", "tagged": false,
            "refused": "it had no tagged block with the result", "denials": ["git push origin main: agents do not push"] }),
    );
    let done = json!({ "commit_hash": commit('c'), "status": "success" });
    journal.answered(
        30,
        ("implementation", 1),
        ("Developer", "developer"),
        done.clone(),
    );
    journal.fact(
        1,
        "phase_imported",
        json!({ "phase": "implementation", "round": 1, "refused": "it changed .gitmodules" }),
    );
    let reasons =
        json!({ "reasons": ["your changes were refused: it changed .gitmodules"], "next": "implementation" });
    journal.ended(work, 1, "again", reasons);
    journal.started(work, 2, Some("Developer"));
    journal.answered(
        30,
        ("implementation", 2),
        ("Developer", "developer"),
        done.clone(),
    );
    journal.taken(
        ("implementation", 2),
        'c',
        json!({ "faults": ["src/theme.js is promised in the plan but not there"] }),
    );
    let reasons = json!({ "reasons": ["src/theme.js is promised in the plan but not there"], "next": "implementation" });
    journal.ended(work, 2, "again", reasons);
    journal.started(work, 3, Some("Developer"));
    journal.answered(30, ("implementation", 3), ("Developer", "developer"), done);
    journal.taken(("implementation", 3), 'c', json!({}));
    let failed = json!({ "tree": TREE, "checks": [{ "name": "tests", "command": "make test", "took_ms": 900,
        "verdict": { "verdict": "failed", "why": "ended with exit code 2" },
        "output": "one\ntwo\nthree\nfour\nfive\nFAIL toggle_is_off" }] });
    journal.fact(
        2,
        "phase_checked",
        json!({ "phase": "implementation", "round": 3, "evidence": failed }),
    );
    journal.ended(work, 3, "done", json!({ "next": "audit" }));
    journal.add(0, "answer_requested", "asked", json!({ "key": "audit.1:human" }));
    journal.add(
        90,
        "answer_given",
        "given",
        json!({ "key": "audit.1:human", "answer": { "approve": true } }),
    );
    let audit = ("audit", "C");
    journal.started(audit, 1, Some("Auditor"));
    let report = "docs/dev_docs/reviews/code_review_dark-mode-toggle_v1.md";
    let pass = json!({ "verdict": "PASS", "review_path": report });
    journal.answered(48, ("audit", 1), ("Auditor", "auditor"), pass);
    let reasons = json!({ "reasons": ["no check was run on the reviewed code"], "next": "implementation" });
    journal.ended(audit, 1, "FAIL", reasons);
    journal.started(audit, 2, Some("Auditor"));
    let fail = json!({ "verdict": "FAIL", "review_path": report,
        "feedback": "- the toggle forgets its state\n\n- \u{1b}[2Jno test for the dark theme" });
    journal.answered(48, ("audit", 2), ("Auditor", "auditor"), fail);
    journal.ended(audit, 2, "FAIL", json!({ "next": "implementation" }));
    journal.add(
        0,
        "step_alarm",
        "",
        json!({ "step": "audit.2:agent.1", "attempt": 1, "message": ".git/hooks was changed" }),
    );
    journal.started(("integration", "D"), 1, None);
    let merged = json!({ "main": { "name": "main", "commit": commit('f') }, "outcome": "conflict", "new": commit('c'),
        "tree": TREE, "files": ["src/app.js", "src/settings.js"] });
    journal.fact(
        1,
        "branch_merged",
        json!({ "phase": "integration", "round": 1, "merged": merged }),
    );
    let reasons = json!({ "reasons": ["phase implementation was entered 4 times, which is its limit"], "next": "implementation" });
    journal.ended(("integration", "D"), 1, "stop", reasons);
    let error = json!({ "kind": "gate_closed", "message": "phase implementation was entered 4 times, which is its limit" });
    journal.fact(0, "run_failed", json!({ "error": error }));
    journal
}

/// A run that lay suspended twice: at a gate, and for a night in the middle of a phase.
pub(super) fn rested() -> Journal {
    const NIGHT: i64 = 8 * 3_600;
    let mut journal = Journal::begin(|plan| {
        let phases = plan["workflow"]["phases"].as_array_mut().unwrap();
        let plan = phases.iter_mut().find(|phase| phase["name"] == "plan").unwrap();
        plan["human"] = json!("Shall it begin?");
    })
    .prepared();
    let suspended =
        |journal: &Journal| json!({ "reason": "stopped on request", "stopped_at": journal.now() });
    journal.add(0, "answer_requested", "asked", json!({ "key": "plan.1:human" }));
    journal.fact(0, "run_suspended", suspended(&journal));
    journal.add(NIGHT, "run_resumed", "Run resumed", json!({ "program": "test" }));
    let given = json!({ "key": "plan.1:human", "answer": "yes", "by": "ada" });
    journal.add(0, "answer_given", "given", given);
    journal.started(("plan", "A.1"), 1, Some("Architect"));
    journal.add(
        10,
        "repository_changed",
        "somebody changed .git/config",
        json!({}),
    );
    journal.fact(10, "run_suspended", suspended(&journal));
    journal.add(NIGHT, "run_resumed", "Run resumed", json!({ "program": "test" }));
    let written = json!({ "plan_path": PLAN });
    journal.answered(20, ("plan", 1), ("Architect", "architect"), written);
    journal.taken(
        ("plan", 1),
        'b',
        json!({ "notes": ["the worktree was left as it is"] }),
    );
    let ended = json!({ "document": PLAN, "next": "delivery" });
    journal.ended(("plan", "A.1"), 1, "done", ended);
    journal.started(("delivery", "D"), 1, None);
    let archived = "docs/dev_docs/archived/plans/2026-11-16_dark_mode_toggle_plan_dark-mode-toggle.md";
    let recorded = json!({ "new": commit('e'), "tree": TREE, "paths": [archived] });
    let recorded = json!({ "phase": "delivery", "round": 1, "recorded": recorded });
    journal.fact(1, "phase_recorded", recorded);
    journal.fact(0, "run_suspended", suspended(&journal));
    journal
}
