//! One attempt of a step, for an executor that is called by hand.

use gemicro_core::execute::{RunAnswers, StepCall, StepReporter};
use gemicro_core::flow::Step;
use gemicro_core::live::LiveHub;
use gemicro_event::StreamId;
use tokio_util::sync::CancellationToken;

pub(super) fn call(step: Step) -> StepCall {
    StepCall {
        answers: RunAnswers::channel().1,
        run: StreamId::random(),
        live: LiveHub::default().writer(&step.key, 1),
        step,
        attempt: 1,
        handle: None,
        reporter: StepReporter::channel().0,
        cancel: CancellationToken::new(),
    }
}
