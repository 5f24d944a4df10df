//! What the owner says: notes, instructions and a new budget while a pipeline runs, and a lighter workflow before it.

use serde_json::json;

use super::scene::{Ran, Scene};

/// An auditor that works only with both words of the owner in its prompt.
const AUDITOR: &str = "audit() {
    for words in 'Mind the tabs.' 'Be brief.'; do
        case $prompt in *\"$words\"*) ;; *) echo \"not in the prompt: $words\" >&2; exit 1 ;; esac
    done
    review
    pass
}";

/// The prompt that the journal has of a phase's first question.
fn prompt(ran: &Ran, phase: &str) -> String {
    let key = format!("{phase}.1:agent.1");
    let mut started = ran.all("step_started").into_iter();
    let started = started.find(|it| it["data"]["step"] == key.as_str()).unwrap();
    started["data"]["input"]["task"]["prompt"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_owner_is_heard_before_each_step() {
    let mut scene = Scene::new();
    scene.workflow(
        "  - name: audit\n",
        "  - name: audit\n    human: \"Shall it be reviewed?\"\n",
    );
    scene.agents(AUDITOR);
    let first = scene.run(&["--no-push", "--budget", "2M"]);
    assert_eq!(first.called.code, 10, "{}", first.called.stderr);
    let run = scene.world.last_run();

    // A file of a megabyte is cut.
    let notes = format!("Mind the tabs.\n{}", "And the spaces.\n".repeat(64 << 10));
    assert!(notes.len() > 1_000_000);
    std::fs::create_dir_all(scene.project("docs/dev_docs")).unwrap();
    std::fs::write(scene.project("docs/dev_docs/HUMAN_REVIEW.md"), notes).unwrap();
    scene.commit_all("notes: mind the tabs");
    for (command, amount) in [("instruct", "Be brief."), ("budget", "3M")] {
        let said = scene.world.must(&[command, "last", amount]).stderr;
        assert!(said.contains(&format!("gemicro resume {run}")), "{said}");
    }
    scene.world.must(&["answer", "last", "yes"]);
    let done = scene.ran(&mut scene.command(&["resume", "last"]));
    done.assert_completed();

    let changed = done.all("owner_notes_changed");
    assert_eq!(changed.len(), 1, "{changed:?}");
    let data = &changed[0]["data"];
    let text = data["notes"].as_str().unwrap();
    assert_eq!(data["is_cut"], true);
    assert!(
        text.len() < 33 << 10 && text.contains("its first 32 KiB"),
        "{}",
        text.len()
    );
    assert!(
        done.called.stderr.contains("the file is too long"),
        "{}",
        done.called.stderr
    );
    assert_eq!(done.all("owner_instructed")[0]["data"]["text"], "Be brief.");
    let limits = &done.all("budget_adjusted")[0]["data"]["limits"];
    assert_eq!(limits, &json!({ "tokens": 3_000_000 }));
    // The step after the one that found them has them from the beginning.
    let later = prompt(&done, "merge_review");
    for words in ["Notes of the project's owner", "Mind the tabs.", "Be brief."] {
        assert!(later.contains(words), "{words}: {later}");
    }
    let shown = scene.world.must(&["show", "last"]).stdout;
    assert!(shown.contains("Be brief."), "{shown}");

    // An ended run takes nothing more, and says so.
    for (command, amount) in [("instruct", "Too late."), ("budget", "5M")] {
        let refused = scene.world.call(&[command, "last", amount]);
        assert_eq!(refused.code, 7, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("has ended (completed)"),
            "{}",
            refused.stderr
        );
    }
}

/// Without a review of the plan, and without a file in the project.
#[test]
fn the_light_workflow_has_one_review() {
    let scene = Scene::new();
    let ran = scene.run(&["--no-push", "--workflow", "light"]);
    ran.assert_completed();
    let expected = [
        "plan.1 done",
        "implementation.1 done",
        "audit.1 PASS",
        "integration.1 up_to_date",
        "delivery.1 done",
    ];
    assert_eq!(ran.outcomes(), expected);
    scene
        .world
        .must(&["init", "--dir", "project", "--force", "--light"]);
    let shown = scene.ran(&mut scene.command(&["workflow", "show"])).called.stdout;
    assert!(
        shown.contains("audit") && !shown.contains("plan_review"),
        "{shown}"
    );
    let other = scene.ran(&mut scene.command(&Scene::arguments(&["--workflow", "lighter"])));
    assert_eq!(other.called.code, 2, "{}", other.called.stderr);
}
