//! The full event list of a small research run, compared whole with a file.
//!
//! After a wanted change: `GEMICRO_BLESS=1 cargo test -p gemicro-core --test it golden`, and read the diff.

use gemicro_core::drive::{begin, drive};
use gemicro_core::llm::scripted::Part;
use gemicro_core::research::{PromptSet, ResearchEngine, ResearchFlow};
use gemicro_event::{Event, Json, StreamId, Timestamp, write_line};

use crate::support::{ProbeStore, ResearchSetup, journal};

/// Compares with a file of `golden/`, or writes it when asked to.
pub(crate) fn check_golden(name: &str, actual: &str) {
    let path = format!("{}/tests/it/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("GEMICRO_BLESS").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    for (idx, (ours, theirs)) in actual.lines().zip(expected.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {} of {path}", idx + 1);
    }
    assert_eq!(
        actual.lines().count(),
        expected.lines().count(),
        "lines of {path}"
    );
}

/// The journal as lines, with its id and its times made the same for every run.
fn lines(events: &[Event]) -> String {
    let mut out = Vec::new();
    for event in events {
        let mut event = event.clone();
        event.stream = StreamId::new("RUN").expect("an id");
        event.update.timestamp = Timestamp::from_millis(1_763_200_000_000);
        if event.update.event_type == "final_result" {
            let mut data = (*event.update.data).clone();
            data["metadata"]["duration_ms"] = 0.into();
            event.update.data = Json::from(data);
        }
        write_line(&mut out, &event).expect("written");
    }
    String::from_utf8(out).expect("text")
}

/// One step at a time, so that the order is the same for every run.
async fn one_by_one(setup: &ResearchSetup) -> Vec<Event> {
    let store = ProbeStore::new();
    let setup = ResearchSetup {
        max_parallel: 1,
        ..setup.clone()
    };
    let ctx = setup.context(&store);
    let id = StreamId::random();
    let lease = begin(&ctx, &id, None, &setup.started()).await.expect("begins");
    drive(&ctx, &ResearchFlow, lease).await.expect("ends");
    journal(&store, &id).await
}

#[tokio::test]
async fn a_research_run_with_a_model() {
    let mut setup = ResearchSetup::new(Part::Perfect);
    setup.plan.config.max_sub_queries = 2;
    if let ResearchEngine::Model { prompts, .. } = &mut setup.plan.engine {
        // Short ones: the file shows events, not prompts.
        *prompts = PromptSet {
            system: "Be careful.".to_owned(),
            decompose: "At most {{max}} parts.\nQuestion: {{question}}".to_owned(),
            answer: "Question: {{question}}\n{{sources}}".to_owned(),
            synthesize: "Question: {{question}}\nFindings:\n{{findings}}".to_owned(),
            web: "Question: {{question}}".to_owned(),
            revise: "{{instruction}}\n{{section}}\n{{findings}}".to_owned(),
        };
    }
    check_golden("research_model.jsonl", &lines(&one_by_one(&setup).await));
}

#[tokio::test]
async fn a_research_run_whose_model_lies() {
    let mut setup = ResearchSetup::new(Part::Liar).edit_llm(|llm| llm.max_attempts = 1);
    setup.plan.config.max_sub_queries = 1;
    let events = one_by_one(&setup).await;
    let shown: Vec<String> = events
        .iter()
        .map(|event| format!("{}: {}\n", event.update.event_type, event.update.message))
        .collect();
    check_golden("research_liar.txt", &shown.concat());
}
