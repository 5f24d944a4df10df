//! An agent between two turns: a separate task reads its output, so that it never blocks.
//!
//! The main type is [`RestingAgent`]. The output is dropped; it only shows whether the process is still fit for another
//! turn.

use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::agent::{AgentProcess, STDERR_BYTES, STDOUT_BYTES, read};

/// A resting agent. Dropping it ends the agent.
pub(super) struct RestingAgent {
    /// Cancelled when the agent becomes unfit, and when the task ends for any reason.
    spoiled: CancellationToken,
    /// Cancelled to get the agent back.
    wanted: CancellationToken,
    task: AbortOnDropHandle<AgentProcess>,
}

impl RestingAgent {
    pub(super) fn begin(agent: AgentProcess) -> Self {
        let (spoiled, wanted) = (CancellationToken::new(), CancellationToken::new());
        let task = tokio::spawn(rest(agent, spoiled.clone(), wanted.clone()));
        Self {
            spoiled,
            wanted,
            task: AbortOnDropHandle::new(task),
        }
    }

    /// Waits until the agent becomes unfit.
    pub(super) async fn wait_until_unfit(&self) {
        self.spoiled.cancelled().await;
    }

    /// Returns the agent, fit or not. `None` if the runtime was shut down meanwhile.
    pub(super) async fn end(self) -> Option<AgentProcess> {
        self.wanted.cancel();
        self.task.await.ok()
    }
}

async fn rest(
    mut agent: AgentProcess,
    spoiled: CancellationToken,
    wanted: CancellationToken,
) -> AgentProcess {
    let _told_in_any_case = spoiled.clone().drop_guard();
    let (mut out_buffer, mut err_buffer) = (vec![0; STDOUT_BYTES], vec![0; STDERR_BYTES]);
    loop {
        if !agent.is_fit() {
            spoiled.cancel();
        }
        agent.feed.add(agent.dialogue.take_input());
        tokio::select! {
            () = wanted.cancelled() => return agent,
            exited = agent.process.wait(), if agent.exited.is_none() => {
                agent.exited = Some(exited);
                agent.feed.close();
            }
            n_bytes = read(&mut agent.stdout, &mut out_buffer) => {
                if n_bytes == 0 {
                    agent.stdout = None;
                }
                agent.dialogue.feed(out_buffer.get(..n_bytes).unwrap_or_default());
            }
            n_bytes = read(&mut agent.stderr, &mut err_buffer) => {
                if n_bytes == 0 {
                    agent.stderr = None;
                }
            }
            () = agent.feed.write(), if agent.feed.is_due() => {}
        }
    }
}
