//! Research beyond its own texts: the web with both grades, an agent of the provider, follow-ups, revisions, retries.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use gemicro_core::flow::StepFailure;
use gemicro_core::llm::{
    Annotation, AnswerDelivery, FinishReason, LlmBackend, LlmChunk, LlmEnd, LlmRequest, LlmTool,
};
use gemicro_core::research::events::FinalResult;
use gemicro_core::research::{Base, Grade, ResearchEngine, UseAs};
use gemicro_event::{ErrorKind, Event, Failure, Json, Usage};

use crate::support::{MemoryLibrary, ResearchSetup, count, final_result};

/// A model made of a function from a request to its text and the pages it names.
struct Says<F>(F);

type Said = Result<(String, Vec<(&'static str, &'static str)>), ErrorKind>;

impl<F: Fn(&LlmRequest) -> Said + Send + Sync> LlmBackend for Says<F> {
    fn name(&self) -> &str {
        "says"
    }

    fn stream(
        &self,
        request: LlmRequest,
        _: Option<Json>,
    ) -> BoxStream<'static, Result<LlmChunk, StepFailure>> {
        let chunks = match (self.0)(&request) {
            Err(kind) => vec![Err(StepFailure::free(Failure::new(kind, "scripted")))],
            Ok((text, pages)) => {
                // A page is named for the words it stands with.
                let annotations = pages.iter().map(|(words, url)| {
                    let start = text.find(words).expect("the words are in the text");
                    Annotation {
                        url: (*url).to_owned(),
                        title: Some("Title".to_owned()),
                        range: start..start + words.len(),
                    }
                });
                let annotations = annotations.collect();
                let end = LlmEnd {
                    finish: FinishReason::Stop,
                    usage: Some(Usage::default()),
                    interaction_id: None,
                    annotations,
                    calls: Vec::new(),
                };
                vec![Ok(LlmChunk::Text(text)), Ok(LlmChunk::End(end))]
            }
        };
        futures_util::stream::iter(chunks).boxed()
    }
}

fn setup(
    says: impl Fn(&LlmRequest) -> Said + Send + Sync + 'static,
    pages: &[(&str, &str)],
) -> ResearchSetup {
    let mut setup = ResearchSetup::with_model(Arc::new(Says(says))).without_sources();
    setup.library = MemoryLibrary::of_pages(pages);
    if let ResearchEngine::Model { web, .. } = &mut setup.plan.engine {
        *web = true;
    }
    setup
}

async fn run(setup: &ResearchSetup) -> (Vec<Event>, Option<FinalResult>) {
    let events = setup.events().await;
    let result = final_result(&events);
    (events, result)
}

fn two_parts(request: &LlmRequest) -> Said {
    match request.label.as_str() {
        "decompose" => Ok((r#"{"sub_queries": ["When?", "How long?"]}"#.to_owned(), vec![])),
        "web" if request.prompt.contains("When?") => {
            assert_eq!(request.tools, [LlmTool::GoogleSearch]);
            let text = "The bridge opened in 1931 [7]. See https://evil.example/x for more.";
            Ok((
                text.to_owned(),
                vec![("The bridge opened in 1931", "https://a.example/")],
            ))
        }
        "web" => Ok((
            "The bridge is 1,280 metres long. It is red.".to_owned(),
            vec![
                ("The bridge is 1,280 metres long", "https://b.example/"),
                ("It is red", "https://10.0.0.1/"),
            ],
        )),
        _ => {
            let findings = request.prompt.split_once("Findings:").expect("findings").1.trim();
            Ok((format!("## When\n\nIn short.\n\n## Length\n\n{findings}"), vec![]))
        }
    }
}

const PAGES: [(&str, &str); 2] = [
    (
        "https://a.example/",
        "A page. In 1931 the bridge was opened to traffic. The end.",
    ),
    ("https://b.example/", "Nothing about its length is said here."),
];

#[tokio::test]
async fn pages_are_fetched_and_only_what_stands_there_is_verified() {
    let (events, result) = run(&setup(two_parts, &PAGES)).await;
    assert_eq!(
        (
            count(&events, "source_fetched"),
            count(&events, "source_not_fetched")
        ),
        (2, 1)
    );
    let result = result.expect("a result");
    let grades: Vec<_> = result
        .citations
        .iter()
        .map(|it| (it.doc.as_str(), it.grade, it.span.as_str()))
        .collect();
    let expected = [
        (
            "https://a.example/",
            Grade::Verified,
            "In 1931 the bridge was opened to traffic.",
        ),
        ("https://b.example/", Grade::Provider, ""),
        ("https://10.0.0.1/", Grade::Provider, ""),
    ];
    assert_eq!(grades, expected);
    for gone in ["[7]", "evil.example"] {
        assert!(!result.answer.contains(gone), "{}", result.answer);
    }
    for there in ["1931 [1].", "not verified", "2. https://b.example/: Title"] {
        assert!(result.answer.contains(there), "{there} in {}", result.answer);
    }
}

#[tokio::test]
async fn an_answer_is_reported_before_its_pages_are_fetched() {
    let (events, _) = run(&setup(two_parts, &PAGES)).await;
    let at = |kind: &str| {
        events
            .iter()
            .position(|event| event.update.event_type == kind)
            .expect("there")
    };
    assert!(
        at("sub_query_completed") < at("source_fetched") && at("source_fetched") < at("synthesis_started")
    );
}

#[tokio::test]
async fn a_search_that_finds_nothing_is_no_evidence() {
    let nothing = |request: &LlmRequest| match request.label.as_str() {
        "decompose" => two_parts(request),
        _ => Ok(("NO ANSWER FOUND".to_owned(), vec![])),
    };
    let (events, result) = run(&setup(nothing, &PAGES)).await;
    assert_eq!(result, None);
    let failed = events
        .last()
        .expect("an end")
        .update
        .data
        .get("error")
        .cloned()
        .expect("an error");
    assert_eq!(failed["kind"], "no_evidence");
}

#[tokio::test]
async fn the_web_answers_what_the_sources_do_not() {
    let says = |request: &LlmRequest| match request.label.as_str() {
        "answer" => Ok((r#"{"answer": "", "citations": []}"#.to_owned(), vec![])),
        _ => two_parts(request),
    };
    let mut with_sources = setup(says, &PAGES);
    with_sources.plan.sources = vec!["/docs".to_owned()];
    let (events, result) = run(&with_sources).await;
    // The library has no texts: the search finds nothing and the web is asked.
    assert_eq!(
        (
            count(&events, "sources_read"),
            count(&events, "sub_query_started")
        ),
        (1, 2)
    );
    assert_eq!(result.expect("a result").citations.len(), 3);
}

#[tokio::test]
async fn an_agent_of_the_provider_works_behind_the_same_events() {
    let says = |request: &LlmRequest| {
        assert_eq!(
            (request.delivery, request.model.as_str()),
            (AnswerDelivery::Background, "deep-research-x")
        );
        Ok((
            "## Report\n\nThe bridge opened in 1931.".to_owned(),
            vec![("The bridge opened in 1931", "https://a.example/")],
        ))
    };
    let mut setup = setup(says, &PAGES);
    if let ResearchEngine::Model { llm, .. } = setup.plan.engine.clone() {
        let llm = gemicro_core::llm::LlmConfig {
            model: "deep-research-x".to_owned(),
            ..llm
        };
        setup.plan.engine = ResearchEngine::Agent { llm };
    }
    let (events, result) = run(&setup).await;
    for kind in [
        "decomposition_started",
        "decomposition_complete",
        "sub_query_started",
        "sub_query_completed",
        "source_fetched",
        "synthesis_started",
        "final_result",
    ] {
        assert_eq!(count(&events, kind), 1, "{kind}");
    }
    let result = result.expect("a result");
    assert!(
        result
            .answer
            .starts_with("## Report\n\nThe bridge opened in 1931. [1]"),
        "{}",
        result.answer
    );
    assert_eq!(result.citations[0].grade, Grade::Verified);
}

#[tokio::test]
async fn a_follow_up_brings_texts_pages_and_findings_along() {
    let first = setup(two_parts, &PAGES);
    let (events, _) = run(&first).await;
    let (plan, base) = Base::read(&events, UseAs::FollowUp).expect("a base");
    assert_eq!(
        (plan.question.as_str(), base.pages.len(), base.parts.len()),
        ("Which crossing is the best?", 2, 2)
    );
    let says = |request: &LlmRequest| {
        if request.label == "decompose" {
            assert!(
                request
                    .prompt
                    .contains("continues an earlier one: Which crossing is the best?")
            );
            assert!(request.prompt.contains("opened in 1931"), "{}", request.prompt);
        }
        two_parts(request)
    };
    let mut second = setup(says, &PAGES);
    second.plan.question = "And its colour?".to_owned();
    second.plan.base = Some(base);
    let (events, result) = run(&second).await;
    assert!(result.is_some());
    assert_eq!(
        count(&events, "sources_read"),
        1,
        "the earlier pages are texts now"
    );
}

#[tokio::test]
async fn one_section_is_revised_and_every_other_byte_stays() {
    let first = setup(two_parts, &PAGES);
    let (events, result) = run(&first).await;
    let report = result.expect("a report").answer;
    assert!(
        Base::read(
            &events,
            UseAs::Revise {
                section: "nowhere".to_owned()
            }
        )
        .is_err()
    );
    let (_, base) = Base::read(
        &events,
        UseAs::Revise {
            section: "when".to_owned(),
        },
    )
    .expect("a base");
    let says = |request: &LlmRequest| match request.label.as_str() {
        "web" => Ok((
            "The bridge is painted every 4 years.".to_owned(),
            vec![("The bridge is painted every 4 years", "https://c.example/")],
        )),
        "revise" => {
            assert!(
                request.prompt.contains("In short.") && request.prompt.contains("every 4 years. [4]"),
                "{}",
                request.prompt
            );
            Ok(("New words [4] [9].".to_owned(), vec![]))
        }
        _ => panic!("{} is not needed", request.label),
    };
    let mut second = setup(says, &[]);
    second.plan.question = "Say how it is kept.".to_owned();
    second.plan.base = Some(base);
    second.plan.base.as_mut().expect("a base").pages.clear();
    let (_, result) = run(&second).await;
    let result = result.expect("a result");
    let expected = report.replace("In short.", "New words [4].");
    assert!(
        result.answer.starts_with(&expected),
        "{}\n---\n{expected}",
        result.answer
    );
    assert!(
        result
            .answer
            .ends_with("\n4. https://c.example/: Title (named by the provider, not verified)"),
        "{}",
        result.answer
    );
    assert_eq!(result.citations.len(), 4);
}

#[tokio::test]
async fn a_section_can_be_put_in_other_words_without_new_findings() {
    let (events, result) = run(&setup(two_parts, &PAGES)).await;
    let report = result.expect("a report").answer;
    let cases = [
        (Ok(("Shorter.".to_owned(), vec![])), "Shorter."),
        (Err(ErrorKind::InvalidInput), "In short."),
    ];
    for (said, expected) in cases {
        let says = move |request: &LlmRequest| match request.label.as_str() {
            "web" => Ok(("NO ANSWER FOUND".to_owned(), vec![])),
            _ => said.clone(),
        };
        let section = "1".to_owned();
        let (_, mut base) = Base::read(&events, UseAs::Revise { section }).expect("a base");
        base.pages.clear();
        let mut second = setup(says, &[]);
        second.plan.base = Some(base);
        let (_, result) = run(&second).await;
        assert_eq!(
            result.expect("a result").answer,
            report.replace("In short.", expected)
        );
    }
}

#[tokio::test]
async fn a_retry_asks_only_what_failed() {
    let broken = |request: &LlmRequest| match request.label.as_str() {
        "web" if request.prompt.contains("When?") => Err(ErrorKind::UpstreamError),
        _ => two_parts(request),
    };
    let mut first = setup(broken, &PAGES).edit_llm(|llm| llm.max_attempts = 1);
    let (events, result) = run(&first).await;
    assert!(result.expect("a partial result").partial.is_some());
    let (plan, base) = Base::read(&events, UseAs::Retry).expect("a base");
    first.plan = plan;
    first.plan.base = Some(base);
    first.plan.base.as_mut().expect("a base").pages.clear();
    let says = |request: &LlmRequest| {
        assert!(
            request.label != "decompose" && !(request.label == "web" && request.prompt.contains("How long?"))
        );
        two_parts(request)
    };
    let second = ResearchSetup {
        plan: first.plan.clone(),
        ..setup(says, &PAGES)
    };
    let (events, result) = run(&second).await;
    assert_eq!(
        (
            count(&events, "sub_query_completed"),
            count(&events, "sub_query_started")
        ),
        (2, 1)
    );
    let result = result.expect("a result");
    assert_eq!((result.partial, result.citations.len()), (None, 3));
    let nothing = Base::read(&events, UseAs::Retry).expect_err("nothing is left");
    assert_eq!(nothing.kind, ErrorKind::InvalidInput);
}
