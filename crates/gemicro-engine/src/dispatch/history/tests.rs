//! What follows from what was said about a step.

use gemicro_core::flow::Again;
use gemicro_event::{Charge, ErrorKind, Failure, Json};
use serde_json::json;

use super::{AttemptHistory, History, MAX_LOST, NextStep};
use crate::dispatch::reports::StepWord;

fn handle() -> StepWord {
    StepWord::Handle(left())
}

fn left() -> Json {
    Json::from(json!({ "pid": 7 }))
}

fn failed(kind: ErrorKind, again: Again, not_begun: bool) -> StepWord {
    StepWord::Failed {
        error: Failure::new(kind, "no luck"),
        charge: Some(Charge::ZERO),
        again,
        not_begun,
    }
}

fn silent(words: Vec<StepWord>) -> AttemptHistory {
    AttemptHistory {
        words,
        is_silent: true,
    }
}

fn said(words: Vec<StepWord>) -> AttemptHistory {
    AttemptHistory {
        words,
        is_silent: false,
    }
}

/// What follows for a command, and for a model call, when the journal has the end of no attempt.
fn check(attempts: Vec<AttemptHistory>, command: NextStep, model_call: NextStep) {
    let history = History {
        attempts: (1..).zip(attempts).collect(),
    };
    assert_eq!(history.next(1, false), command, "a command after {history:?}");
    assert_eq!(
        history.next(1, true),
        model_call,
        "a model call after {history:?}"
    );
}

#[test]
fn what_was_taken_counts_as_begun_until_its_worker_says_otherwise() {
    let (cut_off, as_usual, never) = (Again::CutOff, Again::AsUsual, Again::Never);
    let left_in_time = || said(vec![failed(ErrorKind::Interrupted, cut_off, true)]);
    check(Vec::new(), NextStep::Try(None), NextStep::Try(None));
    check(vec![said(Vec::new())], NextStep::Try(None), NextStep::Try(None));
    check(vec![silent(Vec::new())], NextStep::Interrupted, NextStep::Charge);
    check(
        vec![silent(vec![handle()])],
        NextStep::Try(Some(left())),
        NextStep::Try(Some(left())),
    );
    // However many attempts said nothing since.
    check(
        vec![silent(vec![handle()]), silent(Vec::new()), left_in_time()],
        NextStep::Try(Some(left())),
        NextStep::Try(Some(left())),
    );
    check(vec![left_in_time()], NextStep::Try(None), NextStep::Try(None));
    check(
        vec![silent(Vec::new()), left_in_time()],
        NextStep::Interrupted,
        NextStep::Charge,
    );
    // A word from before workers said whether they had begun.
    check(
        vec![said(vec![failed(ErrorKind::Interrupted, cut_off, false)])],
        NextStep::Interrupted,
        NextStep::Charge,
    );
    // A handle that was written although its command was not begun leads nowhere.
    check(
        vec![said(vec![
            handle(),
            failed(ErrorKind::Interrupted, cut_off, true),
        ])],
        NextStep::Try(None),
        NextStep::Try(None),
    );
    // The disk of a worker says nothing about the step.
    check(
        vec![said(vec![failed(ErrorKind::StorageError, as_usual, true)])],
        NextStep::Try(None),
        NextStep::Try(None),
    );
    for again in [as_usual, never] {
        let ended = said(vec![failed(ErrorKind::RateLimited, again, false)]);
        check(
            vec![silent(vec![handle()]), ended],
            NextStep::Hear(2),
            NextStep::Hear(2),
        );
    }
    let done = said(vec![handle(), StepWord::Done(Json::default())]);
    check(
        vec![silent(Vec::new()), done],
        NextStep::Hear(2),
        NextStep::Hear(2),
    );
}

#[test]
fn what_is_cut_off_again_and_again_comes_to_an_end() {
    let silent_three_times = vec![silent(vec![handle()]); 3];
    check(silent_three_times, NextStep::Interrupted, NextStep::GiveUp);
    let left = said(vec![
        handle(),
        failed(ErrorKind::Interrupted, Again::CutOff, false),
    ]);
    check(vec![left; MAX_LOST], NextStep::Interrupted, NextStep::GiveUp);
}

#[test]
fn what_the_journal_has_is_heard_no_more() {
    let as_usual = failed(ErrorKind::RateLimited, Again::AsUsual, false);
    let attempts = vec![silent(vec![handle()]), said(vec![as_usual])];
    let history = History {
        attempts: (1..).zip(attempts).collect(),
    };
    assert_eq!(history.next(3, true), NextStep::Try(None));
    // What began once stays begun.
    assert_eq!(history.next(3, false), NextStep::Try(Some(left())));
    assert_eq!((history.last_over(), history.n_lost()), (2, 1));
    let never = failed(ErrorKind::Timeout, Again::Never, false);
    let history = History {
        attempts: (1..).zip([said(vec![never])]).collect(),
    };
    assert_eq!(history.next(2, false), NextStep::Interrupted);
}
