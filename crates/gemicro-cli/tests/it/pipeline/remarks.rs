//! What a reviewer remarks beside an APPROVE: no refusal for the next agent, and kept for people.

use super::scene::{ALL_WELL, BRANCH, Scene};

/// The prompt of a phase's first question.
fn prompt(ran: &super::scene::Ran, phase: &str) -> String {
    let key = format!("{phase}.1:agent.");
    let started = ran.all("step_started").into_iter();
    let mut of_phase = started.filter(|it| it["data"]["step"].as_str().unwrap().starts_with(&key));
    of_phase.next().unwrap()["data"].to_string()
}

#[test]
fn a_remark_beside_an_approval_sends_nothing_back() {
    let scene = Scene::new();
    scene.agents(
        "approve() { answer 'Fine.' '{\"verdict\": \"APPROVE\", \"feedback\": \"- A shorter name would do.\\\\n- Mind the tabs.\"}'; }",
    );
    let ran = scene.run(&["--no-push"]);
    ran.assert_completed();
    assert_eq!(ran.outcomes(), ALL_WELL);
    let text = prompt(&ran, "implementation");
    assert!(!text.contains("was not accepted"), "{text}");
    assert!(
        text.contains("accepted the work with these remarks") && text.contains("Mind the tabs."),
        "{text}"
    );

    let shown = scene.world.must(&["show", "last"]).stdout;
    assert!(
        shown.contains("remarks") && shown.contains("Mind the tabs."),
        "{shown}"
    );
    let request = scene.world.must(&["show", "last", "--format", "markdown"]).stdout;
    assert!(request.contains("A shorter name would do."), "{request}");
    let backlog = scene.git(&["show", &format!("{BRANCH}:docs/dev_docs/backlog.md")]);
    for item in ["- A shorter name would do.", "- Mind the tabs."] {
        assert!(backlog.contains(item), "{backlog}");
    }
    // What is refused is still said to be.
    let scene = Scene::new();
    scene.agents(
        "approve() {
            verdict=APPROVE
            case $document in *_v1.md) verdict=REJECT;; esac
            [ \"$(ls docs/dev_docs/reviews 2>/dev/null)\" ] || verdict=REJECT
            answer 'So.' \"{\\\"verdict\\\": \\\"$verdict\\\", \\\"feedback\\\": \\\"Mind the tabs.\\\"}\"
        }",
    );
    let ran = scene.run(&["--no-push"]);
    let again = ran.all("step_started").into_iter();
    let again = again.map(|it| it["data"].to_string());
    let again: Vec<String> = again.filter(|it| it.contains("plan.2:agent.")).collect();
    assert!(again[0].contains("was not accepted"), "{again:?}");
}

/// Feedback of every accepted answer is kept, where the agent says that it belongs.
#[test]
fn the_feedback_of_a_developer_is_sorted_and_committed() {
    let scene = Scene::new();
    scene.agents(
        "claim() { answer 'Done.' \"{\\\"commit_hash\\\": \\\"$(git rev-parse HEAD)\\\", \\\"status\\\": \\\"success\\\", \\\"feedback\\\": {\\\"items\\\": [
            {\\\"kind\\\": \\\"docs\\\", \\\"text\\\": \\\"The README names no greeting.\\\"},
            {\\\"kind\\\": \\\"ignore\\\", \\\"text\\\": \\\"It was fun.\\\"}], \\\"plan\\\": \\\"vague about tabs\\\"}}\"; }",
    );
    let ran = scene.run(&["--no-push"]);
    ran.assert_completed();
    assert_eq!(ran.outcomes(), ALL_WELL);
    let list = |name: &str| scene.git(&["show", &format!("{BRANCH}:docs/dev_docs/{name}")]);
    let (backlog, docs) = (list("backlog.md"), list("docs_to_update.md"));
    assert!(backlog.contains("- plan: vague about tabs"), "{backlog}");
    assert!(docs.starts_with("# Documentation to update"), "{docs}");
    assert!(docs.contains("- The README names no greeting."), "{docs}");
    for text in [&backlog, &docs] {
        assert!(!text.contains("It was fun."), "{text}");
    }
}
