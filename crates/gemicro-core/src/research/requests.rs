//! What models are asked: each request with its prompt, its shape and its least and most cost.

use gemicro_event::text::{first_bytes, one_line};
use gemicro_event::{Charge, Json};

use super::fit::smallest;
use super::flow::ResearchState;
use super::{PromptSet, ResearchEngine, ResearchPlan, UseAs, findings, sections};
use crate::corpus::Passage;
use crate::llm::{AnswerDelivery, LlmConfig, LlmRequest, LlmTool, worst_case};
use crate::template::fill;

/// Bytes of findings shown to the model that writes the report, at most.
pub(super) const MAX_FINDINGS_BYTES: usize = 24 * 1024;
/// Bytes of a model's sub-query, at most, unless the question itself is longer: the least cost of one is known.
const LONGEST_SUB_QUERY: usize = 400;
/// Bytes of sources that the cheapest answer sees.
const LEAST_SOURCE_BYTES: usize = 1_536;

/// Bytes of a title or heading shown above a passage, at most.
const LONGEST_CONTEXT: usize = 120;

/// The most the report can cost.
pub(super) fn synthesis_worst_case(plan: &ResearchPlan) -> Charge {
    let ResearchEngine::Model { llm, prompts, .. } = &plan.engine else {
        return Charge::ZERO;
    };
    let findings = " ".repeat(MAX_FINDINGS_BYTES);
    let prompt = fill(
        &prompts.synthesize,
        &[("question", plan.question.trim()), ("findings", &findings)],
    );
    worst_case(&request("synthesize", prompt, llm, prompts))
}

/// How long a sub-query of a model may be, in bytes.
pub(super) fn longest_sub_query(plan: &ResearchPlan) -> usize {
    plan.question.trim().len().max(LONGEST_SUB_QUERY)
}

/// The least that allows one answer, whatever its sub-query and the first passage say.
pub(super) fn minimum_answer_cost(plan: &ResearchPlan) -> Charge {
    let ResearchEngine::Model { llm, prompts, web } = &plan.engine else {
        return Charge::ZERO;
    };
    let query = " ".repeat(longest_sub_query(plan));
    let least = match (plan.has_sources(), web) {
        (true, _) => answer(&query, &" ".repeat(LEAST_SOURCE_BYTES), llm, prompts),
        (false, true) => on_the_web(&query, llm, prompts),
        (false, false) => answer(&query, "", llm, prompts),
    };
    worst_case(&smallest(least))
}

pub(super) fn decompose(plan: &ResearchPlan, llm: &LlmConfig, prompts: &PromptSet) -> LlmRequest {
    let max = plan.config.max_sub_queries.to_string();
    let context = plan.base.as_ref().map_or_else(String::new, super::Base::context);
    let values = [
        ("question", plan.question.trim()),
        ("max", &max),
        ("context", &context),
    ];
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "sub_queries": { "type": "array", "items": { "type": "string" } } },
        "required": ["sub_queries"],
    });
    LlmRequest {
        schema: Some(Json::from(schema)),
        ..request("decompose", fill(&prompts.decompose, &values), llm, prompts)
    }
}

/// Answers a sub-query from numbered sources.
pub(super) fn answer(query: &str, sources: &str, llm: &LlmConfig, prompts: &PromptSet) -> LlmRequest {
    let prompt = fill(&prompts.answer, &[("question", query), ("sources", sources)]);
    let quote = serde_json::json!({ "source": { "type": "integer" }, "quote": { "type": "string" } });
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            // First the quotes: a small model then answers from what it copied.
            "citations": { "type": "array", "items": {
                "type": "object", "properties": quote, "required": ["source", "quote"],
            } },
            "answer": { "type": "string" },
            "contradictions": { "type": "array", "items": {
                "type": "object",
                "properties": { "sides": { "type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "source": { "type": "integer" }, "quote": { "type": "string" }, "value": { "type": "string" },
                    },
                    "required": ["source", "quote", "value"],
                } } },
                "required": ["sides"],
            } },
        },
        "required": ["citations", "answer"],
    });
    LlmRequest {
        schema: Some(Json::from(schema)),
        ..request("answer", prompt, llm, prompts)
    }
}

/// Answers a sub-query from the web, by the provider's own search.
pub(super) fn on_the_web(query: &str, llm: &LlmConfig, prompts: &PromptSet) -> LlmRequest {
    LlmRequest {
        tools: vec![LlmTool::GoogleSearch],
        ..request("web", fill(&prompts.web, &[("question", query)]), llm, prompts)
    }
}

/// Hands the whole question to the provider's agent.
pub(super) fn to_agent(plan: &ResearchPlan, llm: &LlmConfig) -> LlmRequest {
    let context = plan.base.as_ref().map_or_else(String::new, super::Base::context);
    LlmRequest {
        label: "agent".to_owned(),
        backend: llm.backend.clone(),
        model: llm.model.clone(),
        system: None,
        prompt: format!("{}{context}", plan.question.trim()),
        previous: None,
        schema: None,
        tools: Vec::new(),
        functions: Vec::new(),
        rounds: Vec::new(),
        delivery: AnswerDelivery::Background,
        max_output_tokens: llm.max_output_tokens,
        temperature: None,
        time: llm.time(),
    }
}

/// Writes the report, or the section that is to be written anew, from at most so many bytes of findings.
pub(super) fn synthesize(
    state: &ResearchState,
    llm: &LlmConfig,
    prompts: &PromptSet,
    max_bytes: usize,
) -> LlmRequest {
    let findings = findings::as_text(state, max_bytes);
    if let Some((report, section)) = to_revise(&state.plan) {
        let values = [
            ("instruction", state.plan.question.trim()),
            (
                "section",
                first_bytes(report[section.body.clone()].trim(), max_bytes),
            ),
            ("findings", findings.as_str()),
        ];
        return request("revise", fill(&prompts.revise, &values), llm, prompts);
    }
    let values = [
        ("question", state.plan.question.trim()),
        ("findings", findings.as_str()),
    ];
    request("synthesize", fill(&prompts.synthesize, &values), llm, prompts)
}

/// The earlier report and the section of it that is written anew.
pub(super) fn to_revise(plan: &ResearchPlan) -> Option<(&str, sections::ReportSection)> {
    let base = plan.base.as_ref()?;
    if !matches!(base.use_as, UseAs::Revise { .. }) {
        return None;
    }
    let report = base.result.as_ref()?.answer.as_str();
    let found = sections::sections(report).into_iter().nth(base.place?)?;
    Some((report, found))
}

/// Numbered sources between their tags.
pub(super) fn sources_text(passages: &[Passage]) -> String {
    let numbered = passages.iter().enumerate();
    numbered
        .map(|(idx, passage)| {
            let head = format!("{}{}", passage.doc, with_date(passage));
            source_text(idx + 1, &format!("{head}{}", context(passage)), &passage.text)
        })
        .collect()
}

fn with_date(passage: &Passage) -> String {
    let date = passage.date.as_ref();
    date.map_or_else(String::new, |date| format!(" ({date})"))
}

/// Title and heading: what a row or a list item is about often stands only there.
fn context(passage: &Passage) -> String {
    let heading = passage.heading.as_deref().filter(|it| *it != passage.title);
    let above = [Some(passage.title.as_str()), heading].into_iter().flatten();
    let above = above.map(|text| first_bytes(text.trim(), LONGEST_CONTEXT));
    let above: Vec<&str> = above.filter(|text| !text.is_empty()).collect();
    match above.as_slice() {
        [] => String::new(),
        _ => format!(" in “{}”", above.join(" › ").replace(['\n', '\r'], " ")),
    }
}

/// The best passage alone, cut to `LEAST_SOURCE_BYTES`.
pub(super) fn least_sources_text(passages: &[Passage]) -> String {
    let best = passages.first();
    best.map_or_else(String::new, |it| {
        let head = format!("{}{}", first_bytes(&it.doc, 200), with_date(it));
        source_text(1, &head, first_bytes(&it.text, 1_000))
    })
}

/// One source between its tags; a text cannot close them.
fn source_text(number: usize, head: &str, text: &str) -> String {
    let (head, text) = (harmless(&one_line(head)), harmless(text));
    format!("\n<source>\n[{number}] {head}\n{text}\n</source>\n")
}

/// A text in which nothing reads as one of our tags, however it is written.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        out.push('<');
        let name = after.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        if name
            .get(..6)
            .is_some_and(|name| name.eq_ignore_ascii_case("source"))
        {
            out.push(' ');
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn request(label: &str, prompt: String, llm: &LlmConfig, prompts: &PromptSet) -> LlmRequest {
    LlmRequest {
        system: Some(prompts.system.clone()),
        ..LlmRequest::new(label, prompt, llm)
    }
}
