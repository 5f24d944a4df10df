//! What the plan of a run says, flow by flow.

use gemicro_core::ask::{AgentStarted, AskPlan};
use gemicro_core::llm::model_title;
use gemicro_core::prompt::ModelTask;
use gemicro_core::research::{ResearchEngine, ResearchPlan};
use gemicro_engine::merge_queue::MergePlan;
use gemicro_event::{Event, Json, StreamId};

use super::merge_story::MergeStory;
use super::pipeline::PipelineStory;
use super::story_fold::Story;

pub(crate) fn batch(story: &mut Story, _event: &Event, plan: &Json) {
    story.model = text(plan, "/settings/llm/model");
    story.goes_on_from = text(plan, "/retries").and_then(|run| StreamId::new(run).ok());
}

/// Of a coding pipeline.
pub(crate) fn pipeline(story: &mut Story, event: &Event, plan: &Json) {
    story.pipeline = PipelineStory::of_plan(plan);
    if let Some(pipeline) = &mut story.pipeline {
        pipeline.fold(event);
        story.question.clone_from(&pipeline.task);
        story.notices.clone_from(&pipeline.notices);
        story.goes_on_from.clone_from(&pipeline.goes_on_from);
    }
}

/// Of a merge queue.
pub(crate) fn merge(story: &mut Story, _event: &Event, plan: &Json) {
    story.merge = MergeStory::of_plan(plan);
    if let Ok(plan) = plan.parse::<MergePlan>() {
        story.notices = plan.notices;
    }
}

/// Of a run that writes tests, or says which are missing.
pub(crate) fn tests(story: &mut Story, _event: &Event, plan: &Json) {
    story.model = text(plan, "/llm/model").or_else(|| text(plan, "/prose/llm/model"));
}

pub(crate) fn research(story: &mut Story, _event: &Event, plan: &Json) {
    let Ok(plan) = plan.parse::<ResearchPlan>() else {
        return;
    };
    story.question = plan.question;
    story.notices = plan.notices;
    story.sources = plan.sources;
    story.goes_on_from = plan.base.map(|base| base.run);
    story.model = match plan.engine {
        ResearchEngine::Model { llm, .. } | ResearchEngine::Agent { llm } => {
            Some(model_title(&llm.backend, &llm.model))
        }
        ResearchEngine::Offline { .. } => None,
    };
}

/// Of a question to a model.
pub(crate) fn prompt(story: &mut Story, _event: &Event, plan: &Json) {
    if let Ok(plan) = plan.parse::<ModelTask>() {
        story.notices = plan.notices;
        story.conversation = plan.conversation;
        story.model = Some(plan.llm.model);
    }
}

/// Of a task for an agent.
pub(crate) fn ask(story: &mut Story, _event: &Event, plan: &Json) {
    let Ok(plan) = plan.parse::<AskPlan>() else {
        return;
    };
    story.conversation = plan.conversation;
    let task = plan.task;
    story.question = task.prompt;
    story.notices = plan.notices;
    story.fold_agent(Some(AgentStarted {
        agent: task.agent,
        model: task.model,
        directory: task.directory,
        sandbox: task.sandbox,
        branch: task.branch,
    }));
}

fn text(plan: &Json, pointer: &str) -> Option<String> {
    Some(plan.pointer(pointer)?.as_str()?.to_owned())
}
