//! Commands: answers once and only when asked, unknown ones rejected, the same id one command.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::command::{AckStatus, AgentAck, AgentCommand};
use gemicro_core::drive::{DriveContext, begin, drive, resume};
use gemicro_core::execute::{Executor, Executors, StepCall};
use gemicro_core::flow::{Decision, Outcome, RunWait, Step, StepFailure, StepOutput};
use gemicro_core::run::RunState;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::{CommandId, Json, StepKey, StreamId};
use tokio::sync::Notify;

use crate::support::{
    Death, ProbeStore, TestFlow, context, count, expire_lease, journal, output, prompt, started, step,
    terminal, types, until,
};

/// Asks one question and finishes with its answer.
fn asking() -> TestFlow {
    TestFlow::new(|_, run| match run.answers.get("go on?") {
        None => Decision {
            waits: vec![RunWait::Answer {
                key: "go on?".to_owned(),
            }],
            ..Decision::default()
        },
        Some(answer) => {
            let finish = Some(Outcome::Completed {
                message: "answered".to_owned(),
                data: answer.clone(),
            });
            Decision {
                finish,
                ..Decision::default()
            }
        }
    })
}

struct Asked {
    store: Arc<ProbeStore>,
    id: StreamId,
    driving: tokio::task::JoinHandle<()>,
}

async fn asked() -> Asked {
    let store = ProbeStore::new();
    let ctx = context(&store, prompt());
    let id = StreamId::random();
    let lease = begin(&ctx, &id, None, &started(&asking())).await.expect("begins");
    let driving = tokio::spawn(async move {
        drive(&ctx, &asking(), lease).await.expect("ends");
    });
    until(&store, &id, |events| count(events, "answer_requested") == 1).await;
    Asked { store, id, driving }
}

fn answer(text: &str) -> AgentCommand {
    AgentCommand::answer("go on?", &Json::from(serde_json::json!(text)))
}

/// Sends a command and waits for its final word.
async fn send(store: &ProbeStore, id: &StreamId, command: AgentCommand) -> AgentAck {
    let sent = store.send_command(id, command.clone()).await.expect("sent");
    if sent.status != AckStatus::Accepted {
        return sent;
    }
    loop {
        let ack = store
            .acknowledgement(id, &command.command_id)
            .await
            .expect("store")
            .expect("known");
        if ack.status != AckStatus::Accepted {
            return ack;
        }
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_run_waits_for_its_answer_and_takes_it_once() {
    let asked = asked().await;
    let wrong_key = AgentCommand::answer("what?", &Json::empty());
    assert_eq!(
        send(&asked.store, &asked.id, wrong_key).await.status,
        AckStatus::Rejected
    );
    let no_key = AgentCommand {
        data: Json::empty(),
        ..answer("x")
    };
    assert_eq!(
        send(&asked.store, &asked.id, no_key).await.status,
        AckStatus::Rejected
    );
    let unknown = AgentCommand {
        command_type: "dance".to_owned(),
        ..answer("x")
    };
    let ack = send(&asked.store, &asked.id, unknown).await;
    assert_eq!(ack.status, AckStatus::Rejected);
    assert!(
        ack.data.text().contains("dance"),
        "it says what it does not know: {}",
        ack.data
    );

    let yes = answer("yes");
    assert_eq!(
        send(&asked.store, &asked.id, yes.clone()).await.status,
        AckStatus::Completed
    );
    asked.driving.await.expect("no panic");
    // The same command again is the same command; another one comes too late.
    assert_eq!(
        send(&asked.store, &asked.id, yes).await.status,
        AckStatus::Completed
    );
    assert_eq!(
        send(&asked.store, &asked.id, answer("no")).await.status,
        AckStatus::Rejected
    );
    let events = journal(&asked.store, &asked.id).await;
    assert_eq!(
        types(&events),
        ["run_started", "answer_requested", "answer_given", "final_result"]
    );
    assert_eq!(terminal(&events).update.data.text(), r#""yes""#);
}

#[tokio::test]
async fn of_two_answers_at_once_the_first_counts() {
    let asked = asked().await;
    let (first, second) = (answer("first"), answer("second"));
    // Both are rows before the driver looks again.
    let (store, id) = (&asked.store.inner, &asked.id);
    let sent = tokio::join!(
        store.send_command(id, first.clone()),
        store.send_command(id, second.clone())
    );
    assert_eq!(sent.0.expect("sent").status, AckStatus::Accepted);
    asked.driving.await.expect("no panic");
    let status = async |command: &CommandId| {
        store
            .acknowledgement(id, command)
            .await
            .expect("store")
            .expect("known")
            .status
    };
    assert_eq!(status(&first.command_id).await, AckStatus::Completed);
    assert_eq!(status(&second.command_id).await, AckStatus::Rejected);
    let events = journal(&asked.store, id).await;
    assert_eq!(terminal(&events).update.data.text(), r#""first""#);
}

#[tokio::test]
async fn a_command_whose_driver_died_before_the_word_was_given_is_answered_truthfully() {
    // The fourth append is the answer; the process dies right after it, before the acknowledgement.
    let first = ProbeStore::over(Default::default(), Death::After(4));
    let ctx = context(&first, prompt());
    let id = StreamId::random();
    begin(&ctx, &id, None, &started(&asking())).await.expect("begins");
    expire_lease(&first, &id).await;
    let lease = resume(&ctx, &asking(), &id).await.expect("resumes");
    let yes = answer("yes");
    first.inner.send_command(&id, yes.clone()).await.expect("sent");
    // Asked only after the command came: rejected, as nobody had asked yet.
    let again = answer("yes");
    let driving = {
        let ctx: DriveContext = ctx.clone();
        tokio::spawn(async move { drive(&ctx, &asking(), lease).await })
    };
    until(&first, &id, |events| count(events, "answer_requested") == 1).await;
    let early = first
        .inner
        .acknowledgement(&id, &yes.command_id)
        .await
        .expect("store")
        .expect("known");
    assert_eq!(early.status, AckStatus::Rejected);
    first.inner.send_command(&id, again.clone()).await.expect("sent");
    driving.await.expect("no panic").expect_err("the process dies");

    let second = ProbeStore::over(first.inner.clone(), Death::Never);
    let ctx = context(&second, prompt());
    expire_lease(&first, &id).await;
    let lease = resume(&ctx, &asking(), &id).await.expect("resumes");
    drive(&ctx, &asking(), lease).await.expect("ends");
    let late = second
        .inner
        .acknowledgement(&id, &again.command_id)
        .await
        .expect("store")
        .expect("known");
    assert_eq!(
        late.status,
        AckStatus::Completed,
        "its answer is the one in the journal"
    );
    let events = journal(&second, &id).await;
    assert_eq!(count(&events, "answer_given"), 1);
    terminal(&events);
}

#[tokio::test]
async fn a_cancel_sent_while_no_one_drives_comes_before_any_step() {
    let store = ProbeStore::new();
    let ctx = context(&store, prompt());
    let flow = TestFlow::all_of(vec![crate::support::step("a")]);
    let id = StreamId::random();
    begin(&ctx, &id, None, &started(&flow)).await.expect("begins");
    store
        .send_command(&id, AgentCommand::cancel("never mind"))
        .await
        .expect("sent");
    expire_lease(&store, &id).await;
    let lease = resume(&ctx, &flow, &id).await.expect("resumes");
    drive(&ctx, &flow, lease).await.expect("ends");
    let events = journal(&store, &id).await;
    assert_eq!(
        types(&events),
        [
            "run_started",
            "run_suspended",
            "run_resumed",
            "cancel_requested",
            "run_cancelled"
        ]
    );
    assert_eq!(
        terminal(&events)
            .update
            .as_run_cancelled()
            .expect("its shape")
            .reason,
        "never mind"
    );
}

#[tokio::test]
async fn a_pause_suspends_the_run_and_an_old_one_does_not_stop_it_again() {
    let asked = asked().await;
    let ack = send(&asked.store, &asked.id, AgentCommand::pause()).await;
    assert_eq!(ack.status, AckStatus::Completed);
    asked.driving.await.expect("no panic");
    let events = journal(&asked.store, &asked.id).await;
    assert_eq!(types(&events).last(), Some(&"run_suspended"));
    let suspended = events.last().and_then(|event| event.update.as_run_suspended());
    let suspended = suspended.expect("suspended");
    assert_eq!(
        (suspended.reason.as_str(), suspended.cut_off),
        ("paused on request", false)
    );
    // A pause that was sent while nobody drove is refused by whoever resumes the run.
    let late = AgentCommand::pause();
    asked
        .store
        .send_command(&asked.id, late.clone())
        .await
        .expect("sent");
    asked
        .store
        .send_command(&asked.id, answer("yes"))
        .await
        .expect("sent");
    let ctx = context(&asked.store, prompt());
    let lease = resume(&ctx, &asking(), &asked.id).await.expect("resumes");
    drive(&ctx, &asking(), lease).await.expect("ends");
    let events = journal(&asked.store, &asked.id).await;
    assert_eq!(terminal(&events).update.event_type, "final_result");
    let ack = asked
        .store
        .acknowledgement(&asked.id, &late.command_id)
        .await
        .expect("store");
    assert_eq!(ack.expect("known").status, AckStatus::Rejected);
}

/// An executor whose steps must not begin twice, and end when they are released.
struct Command(Arc<Notify>);

impl Executor for Command {
    fn execute(&self, _: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let released = self.0.clone();
        Box::pin(async move {
            released.notified().await;
            Ok(output("done"))
        })
    }

    fn may_begin_again(&self, _: &Step) -> bool {
        false
    }
}

#[tokio::test]
async fn a_pause_lets_steps_end_that_must_not_begin_twice_and_starts_no_other() {
    let flow = || {
        TestFlow::new(|_, run| match run.is_done(&StepKey::new("first")) {
            false => Decision::step(step("first")),
            true => Decision::step(step("second")),
        })
    };
    let (store, id, released) = (ProbeStore::new(), StreamId::random(), Arc::new(Notify::new()));
    let executors = Executors::default().with("work", Arc::new(Command(released.clone())));
    let ctx = context(&store, executors);
    let lease = begin(&ctx, &id, None, &started(&flow())).await.expect("begins");
    let driving = tokio::spawn(async move {
        drive(&ctx, &flow(), lease).await.expect("ends");
    });
    until(&store, &id, |events| count(events, "step_started") == 1).await;
    let ack = send(&store, &id, AgentCommand::pause()).await;
    assert_eq!(ack.status, AckStatus::Completed);
    assert_eq!(count(&journal(&store, &id).await, "run_suspended"), 0);
    released.notify_one();
    driving.await.expect("no panic");
    let events = journal(&store, &id).await;
    let ends = ["step_started", "step_completed", "step_failed", "run_suspended"];
    assert_eq!(
        ends.map(|it| count(&events, it)),
        [1, 1, 0, 1],
        "{:?}",
        types(&events)
    );
}

/// Limits that are not named stay, and what cannot be read changes nothing.
#[tokio::test]
async fn the_limits_of_a_running_run_are_changed() {
    let asked = asked().await;
    for budget in ["50k,$1", "70k"] {
        let limits = budget.parse().expect("a budget");
        let ack = send(&asked.store, &asked.id, AgentCommand::adjust_budget(&limits)).await;
        assert_eq!(ack.status, AckStatus::Completed);
    }
    let unreadable = AgentCommand::new("adjust_budget", serde_json::json!({ "budget": "much" }));
    let ack = send(&asked.store, &asked.id, unreadable).await;
    assert_eq!(ack.status, AckStatus::Rejected);
    assert!(ack.data.to_string().contains("is not a budget"), "{:?}", ack.data);
    send(&asked.store, &asked.id, answer("yes")).await;
    asked.driving.await.expect("ends");
    let events = journal(&asked.store, &asked.id).await;
    let mut run = RunState::start(&events[0]).expect("a run");
    events.iter().for_each(|event| run.fold(event));
    assert_eq!(run.ledger.limits().to_string(), "70k,$1");
    assert_eq!(run.started.limits, run.ledger.limits());
    assert_eq!(count(&events, "budget_adjusted"), 2);
}
