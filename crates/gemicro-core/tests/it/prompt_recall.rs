//! A model that looks up its conversation before it answers: rounds, bad calls, budgets, refusals, and death at every append.

use std::collections::BTreeMap;

use gemicro_core::budget::Limits;
use gemicro_core::drive::{DriveEnd, DriveError, begin, drive, resume};
use gemicro_core::llm::{LlmConfig, LlmRequest};
use gemicro_core::prompt::{Earlier, ModelTask, PromptFlow, PromptReaders};
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{MemoryStore, Store, StoreError};
use gemicro_event::{AgentUpdate, ErrorKind, Json, StreamId, Timestamp};
use serde_json::json;

use crate::prompt_recall_world::{
    Caller, Says, USAGE, answer, call, conversation, look_up, messages, once, run, started, task, world,
};
use crate::support::{Death, ProbeStore, count, expire_lease, journal, terminal};

#[tokio::test]
async fn a_model_looks_up_what_its_prompt_leaves_out() {
    let (events, model) = run(once, Limits::NONE, |_| {}).await;
    assert_eq!(answer(&events), "It is walnut.");
    assert_eq!(
        messages(&events, "conversation_recalled"),
        ["recalled: captain pudding → turn 2"]
    );
    let asked = model.asked();
    let [first, second] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert_eq!(first.functions[0].name, "recall");
    assert!(
        first
            .system
            .as_deref()
            .is_some_and(|hint| hint.contains("`recall`"))
    );
    assert!(!first.prompt.contains("walnut") && first.rounds.is_empty());
    assert_eq!(second.rounds[0].interaction.as_deref(), Some("i1"));
    assert_eq!(second.rounds[0].text, "Let me see.");
    let answered = events.iter().find_map(|event| event.update.as_model_answered());
    let answered = answered.expect("an answer");
    assert_eq!(
        (answered.usage.input_tokens, answered.interaction.as_deref()),
        (200, Some("i2"))
    );
    let spent = events.iter().filter_map(|event| event.update.as_step_completed());
    assert_eq!(spent.map(|done| done.charge.tokens).sum::<u64>(), 220);

    // Everything is in the prompt, or there is no conversation: the request is what it always was.
    for edit in [
        |task: &mut ModelTask| task.recall = false,
        |task: &mut ModelTask| task.conversation = None,
    ] {
        let (events, model) = run(once, Limits::NONE, edit).await;
        assert_eq!(answer(&events), "I do not know.");
        let asked = Json::of(&model.asked()[0]).expect("JSON");
        let fields = ["functions", "rounds"].map(|name| asked.get(name).is_some());
        assert_eq!((fields, model.asked()[0].system.as_ref()), ([false; 2], None));
    }
}

#[tokio::test]
async fn after_three_rounds_the_function_is_no_longer_offered() {
    let (events, model) = run(
        |request| match request.functions.is_empty() {
            false => Ok(("", look_up())),
            true => Ok(("Enough.", Vec::new())),
        },
        Limits::NONE,
        |_| {},
    )
    .await;
    assert_eq!(answer(&events), "Enough.");
    let offered = model
        .asked()
        .iter()
        .map(|it| it.functions.len())
        .collect::<Vec<_>>();
    assert_eq!(offered, [1, 1, 1, 0]);
    assert_eq!(model.asked()[3].rounds.len(), 3);
    assert_eq!(count(&events, "conversation_recalled"), 3);
}

#[tokio::test]
async fn a_call_that_makes_no_sense_gets_an_error_as_its_result() {
    let (events, model) = run(
        |request| match request.rounds.len() {
            0 => Ok((
                "",
                vec![
                    call("search_web", json!({ "query": "pudding" })),
                    call("recall", json!([1])),
                    call("recall", json!({ "query": "pudding" })),
                    call("recall", json!({ "query": "noon" })),
                ],
            )),
            _ => Ok(("Well.", Vec::new())),
        },
        Limits::NONE,
        |_| {},
    )
    .await;
    assert_eq!(answer(&events), "Well.");
    let asked = model.asked();
    let results = &asked[1].rounds[0].results;
    let errors = results.iter().map(|it| it.is_error).collect::<Vec<_>>();
    assert_eq!(errors, [true, true, false, true]);
    assert_eq!(
        results[0].text,
        "there is no function `search_web`: only `recall`"
    );
    assert!(results[1].text.contains("give `query` or `turn`"), "{results:?}");
    assert_eq!(
        results[2].text,
        "turn 2 assistant: The captain prefers walnut pudding.\n"
    );
    assert_eq!(results[3].text, "at most 3 calls at once: call again");
}

/// The function is offered when the budget has room for the results, and an answer comes either way.
#[tokio::test]
async fn a_budget_without_room_for_another_round_still_delivers() {
    let tokens = |tokens| Limits {
        tokens: Some(tokens),
        ..Limits::NONE
    };
    let n_output = LlmConfig::default().max_output_tokens;
    for (limit, expected) in [
        (n_output + 1_000, "I do not know."),
        (2 * n_output + 10_000, "I do not know."),
        (4 * n_output + 60_000, "It is walnut."),
    ] {
        let (events, model) = run(once, tokens(limit), |_| {}).await;
        assert_eq!(answer(&events), expected, "{limit}");
        let started = events.iter().filter_map(|event| event.update.as_step_started());
        let n_reserved = started.map(|step| step.reserved.tokens).max();
        assert!(n_reserved <= Some(limit), "{limit}: {n_reserved:?}");
        assert_eq!(
            model.asked()[0].functions.is_empty(),
            expected.starts_with('I') && expected.contains("not")
        );
    }
    let turns = Limits {
        turns: Some(1),
        ..Limits::NONE
    };
    assert_eq!(answer(&run(once, turns, |_| {}).await.0), "I do not know.");
}

/// A provider that refuses results, or has lost the call that they belong to, is asked without the function.
#[tokio::test]
async fn results_that_the_provider_refuses_cost_the_function_and_not_the_answer() {
    for says in [
        (|request| match request.rounds.is_empty() {
            true => once(request),
            false => Err(ErrorKind::InvalidInput),
        }) as Says,
        |request| match request.rounds.is_empty() {
            true => once(request),
            false => Err(ErrorKind::SessionNotFound),
        },
    ] {
        let (events, model) = run(says, Limits::NONE, |_| {}).await;
        assert_eq!(answer(&events), "I do not know.");
        assert_eq!(model.asked().len(), 3);
        // One that goes on from an earlier call tells everything first, and may look it up again.
        let (events, model) = run(says, Limits::NONE, |task| {
            task.earlier = Some(Earlier {
                interaction: "before".to_owned(),
                message: "Which?".to_owned(),
            });
        })
        .await;
        assert_eq!(answer(&events), "I do not know.");
        let prompts: Vec<String> = model.asked().into_iter().map(|it| it.prompt).collect();
        let whole = "Which sweet was it?";
        assert_eq!(prompts, ["Which?", "Which?", whole, whole, whole]);
        let answered = events.iter().find_map(|event| event.update.as_model_answered());
        assert!(answered.is_some_and(|answered| answered.retold));
    }
    let failed = run(|_| Err(ErrorKind::InvalidInput), Limits::NONE, |_| {}).await;
    assert_eq!(terminal(&failed.0).update.event_type, "run_failed");
}

#[tokio::test]
async fn a_turn_that_dies_between_its_rounds_pays_for_nothing_twice() {
    let (calm, _) = run(once, Limits::NONE, |_| {}).await;
    let mut n_deaths = 0;
    for death in (1..12).flat_map(|k| [Death::Before(k), Death::After(k)]) {
        let model = Caller::new(once);
        let inner = MemoryStore::new();
        let task = task(&conversation(&inner).await);
        let first = ProbeStore::over(inner.clone(), death);
        let ctx = world(&first, &model);
        let id = StreamId::random();
        let ended = match begin(&ctx, &id, None, &started(&task, Limits::NONE)).await {
            Ok(hold) => drive(&ctx, &PromptFlow, hold).await.map(|_| ()),
            Err(error) => Err(error),
        };
        n_deaths += usize::from(ended.is_err());
        if inner.read(&id, 0, 1).await.is_err() {
            continue;
        }
        expire_lease(&first, &id).await;
        let second = ProbeStore::over(inner, Death::Never);
        let ctx = world(&second, &model);
        match resume(&ctx, &PromptFlow, &id).await {
            Ok(hold) => match drive(&ctx, &PromptFlow, hold).await {
                Ok(DriveEnd::Terminal(_)) => {}
                other => panic!("{death:?}: {other:?}"),
            },
            Err(DriveError::Store(StoreError::Ended { .. })) => {}
            Err(error) => panic!("{death:?}: {error}"),
        }
        let events = journal(&second, &id).await;
        assert_eq!(answer(&events), answer(&calm), "{death:?}");
        let mut completed: BTreeMap<String, usize> = BTreeMap::new();
        for done in events.iter().filter_map(|event| event.update.as_step_completed()) {
            *completed.entry(done.step.to_string()).or_default() += 1;
        }
        let steps = ["whole", "whole-2", "whole-recall"].map(|step| (step.to_owned(), 1));
        assert_eq!(completed, BTreeMap::from(steps), "{death:?}");
        let n_lost = count(&events, "step_lost");
        assert!(model.asked().len() <= 2 + n_lost, "{death:?}");
    }
    assert!(n_deaths >= 8, "{n_deaths}");
}

/// A journal of the program before: its plan says nothing of functions.
#[test]
fn an_earlier_plan_and_answer_read_as_before() {
    let plan = json!({
        "title": "t", "llm": LlmConfig::default(), "label": "chat", "prompt": "p",
        "conversation": "0198f6a0-0000-7000-8000-000000000001",
    });
    let task: ModelTask = Json::from(plan.clone()).parse().expect("a plan");
    assert!(!task.recall);
    assert_eq!(Json::of(&task).expect("JSON"), Json::from(plan));
    let request = json!({
        "label": "chat", "backend": "gemini", "model": "m", "system": null, "prompt": "p", "schema": null,
        "max_output_tokens": 5, "temperature": null,
    });
    let request: LlmRequest = Json::from(request).parse().expect("a request");
    assert!(request.functions.is_empty() && request.rounds.is_empty());
    let answered = json!({ "model": "m", "text": "yes", "usage": USAGE });
    let update = AgentUpdate {
        event_type: "model_answered".to_owned(),
        message: String::new(),
        timestamp: Timestamp::now(),
        data: Json::from(answered),
    };
    assert_eq!(update.as_model_answered().expect("an answer").text, "yes");
}
