//! Workflows that are accepted: the one in the binary, and the values that a file may leave out.

use gemicro_core::ask::AgentName;
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::sample::Index;

use crate::workflow::{
    AgentTool, BuiltInWorkflow, EdgeTarget, NetworkRule, PhaseWork, PipelineMode, check_for, default_files,
    default_workflow, offers, outcomes, parse, show_mermaid, show_text, warnings,
};

use super::bad_files::{SMALL, prompt};

#[test]
fn the_default_is_sound_and_all_of_it_is_shown() {
    let workflow = default_workflow();
    assert_eq!(
        warnings(&workflow),
        ["checks: there are none, so no tests verify the work"]
    );
    insta::assert_snapshot!("default_text", show_text(&workflow));
    insta::assert_snapshot!("default_mermaid", show_mermaid(&workflow));
}

#[test]
fn the_default_follows_the_loops_of_the_pipeline() {
    let workflow = default_workflow();
    let to = |phase: &str, word: &str| workflow.phase(phase).unwrap().edges[word].clone();
    let phase = |name: &str| EdgeTarget::Phase(name.to_owned());
    assert_eq!(to("analysis_review", "REJECT"), EdgeTarget::Back);
    assert_eq!(to("analysis_review", "ESCALATE"), phase("research"));
    assert_eq!(to("plan_review", "REJECT"), phase("plan"));
    assert_eq!(to("audit", "FAIL"), phase("implementation"));
    assert_eq!(to("merge_review", "FAIL"), phase("implementation"));
    assert_eq!(to("integration", "conflict"), phase("conflict_resolution"));
    assert_eq!(to("delivery", "done"), EdgeTarget::End);
    assert_eq!(
        workflow.modes.keys().copied().collect::<Vec<PipelineMode>>(),
        PipelineMode::ALL
    );
    for phase in &workflow.phases {
        let role = match &phase.work {
            PhaseWork::Agent { role, .. } => workflow.roles.get(role),
            PhaseWork::Merge | PhaseWork::Deliver => None,
        };
        let mut words = outcomes(&phase.work, role).to_vec();
        words.sort_unstable();
        assert_eq!(phase.edges.keys().collect::<Vec<_>>(), words, "{}", phase.name);
    }
}

#[test]
fn a_frozen_workflow_is_read_as_it_was() {
    let workflow = default_workflow();
    let text = serde_json::to_string(&workflow).unwrap();
    let read: crate::workflow::Workflow = serde_json::from_str(&text).unwrap();
    assert_eq!(read, workflow);
}

#[test]
fn what_a_file_leaves_out_has_a_value() {
    let bare = SMALL.split("rounds:").next().unwrap();
    let workflow = parse(bare, &prompt).unwrap();
    assert_eq!((workflow.max_asks, workflow.network), (2, NetworkRule::None));
    assert!(workflow.checks.is_empty() && workflow.setup.is_empty());
    assert!(workflow.phases.iter().all(|phase| phase.rounds == 4));
    let role = &workflow.roles["architect"];
    assert_eq!((role.total_ms, role.idle_ms), (30 * 60_000, 5 * 60_000));
    assert_eq!(
        (role.agent, role.grant.tokens, role.grant.micro_usd),
        (None, None, None)
    );
}

#[test]
fn money_and_time_are_read_exactly() {
    let text = SMALL.replace(
        "prompt: architect.md }",
        "prompt: architect.md, budget: { max_tokens: 5, max_usd: 2.5, max_turns: 3 }, timeouts: { total: 90s } }",
    );
    let role = &parse(&text, &prompt).unwrap().roles["architect"];
    let grant = role.grant;
    assert_eq!(
        (grant.tokens, grant.micro_usd, grant.turns),
        (Some(5), Some(2_500_000), Some(3))
    );
    // Silence is never longer than the whole.
    assert_eq!((role.total_ms, role.idle_ms), (90_000, 90_000));
}

#[test]
fn each_agent_is_held_against_the_tools_of_the_roles() {
    let missing_tools = |agent| {
        let missing = check_for(&default_workflow(), agent);
        missing.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    // What not all of them have, the roles can do without.
    for agent in AgentName::ALL {
        assert!(
            missing_tools(agent).is_empty(),
            "{agent}: {:?}",
            missing_tools(agent)
        );
    }
    let mut needing = default_workflow();
    let tools = needing.roles.values_mut().flat_map(|role| &mut role.tools);
    tools.for_each(|wanted| wanted.optional = false);
    let missing = check_for(&needing, AgentName::Codex);
    assert_eq!(
        missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "roles.investigator.tools: codex has no `codebase_investigator`; give the role `agent: gemini`, or leave the tool out",
            "roles.researcher.tools: codex has no `web_search`; give the role `agent: gemini` or `claude`, or leave the tool out",
        ]
    );
    for agent in AgentName::ALL {
        assert!(
            offers(agent, AgentTool::Read)
                && offers(agent, AgentTool::Edit)
                && offers(agent, AgentTool::Shell)
        );
    }
}

#[test]
fn the_files_for_editing_are_those_of_the_default() {
    let files = default_files();
    let (path, text) = files[0];
    assert_eq!(path, "workflow.yaml");
    let workflow = parse(text, &|name| {
        let path = format!("prompts/{name}");
        let found = files.iter().find(|(known, _)| *known == path);
        found.map(|(_, text)| (*text).to_owned())
    });
    assert_eq!(workflow.unwrap(), default_workflow());
    assert_eq!(files.len(), 1 + default_workflow().prompts.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn parsing_never_panics(text in any::<String>()) {
        let _ = parse(&text, &prompt);
    }

    #[test]
    fn parsing_a_changed_file_never_panics(
        cut in any::<(Index, Index)>(), put in "[-a-z0-9?:,.{}\\[\\]\"'&*!|>%@ \n\t]{0,12}",
    ) {
        let (first, second) = (cut.0.index(SMALL.len()), cut.1.index(SMALL.len()));
        let text = format!("{}{put}{}", &SMALL[..first], &SMALL[second..]);
        if let Err(error) = parse(&text, &prompt) {
            assert!(error.problems().iter().all(|problem| problem.line >= 1 && !problem.message.is_empty()));
        }
    }
}

/// One plan, one review, and every prompt that it needs in its files.
#[test]
fn the_light_workflow_is_sound_and_short() {
    let light = BuiltInWorkflow::Light.workflow();
    assert_eq!(warnings(&light), warnings(&default_workflow()));
    let to = |phase: &str, word: &str| light.phase(phase).unwrap().edges[word].clone();
    let phase = |name: &str| EdgeTarget::Phase(name.to_owned());
    assert_eq!(light.modes[&PipelineMode::Direct], "plan");
    assert_eq!(to("plan", "done"), phase("implementation"));
    assert_eq!(to("implementation", "done"), phase("audit"));
    assert_eq!(to("audit", "PASS"), phase("integration"));
    let files = BuiltInWorkflow::Light.files();
    let read = |name: &str| {
        let path = format!("prompts/{name}");
        let found = files.iter().find(|(file, _)| *file == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    assert_eq!(parse(files[0].1, &read).unwrap(), light);
    assert_eq!(files.len(), 1 + light.prompts.len());
    assert!(files.len() < BuiltInWorkflow::Default.files().len());
    assert_eq!(BuiltInWorkflow::Default.files(), default_files());
}
