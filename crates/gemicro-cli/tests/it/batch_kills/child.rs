//! The process that is killed: this test binary again, told by a variable what to do. It hands the batch in, which is
//! harmless when it was there before, goes on with it where nobody drives it, and stays to its end.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use gemicro_engine::{Batches, BoardPage, LocalRunService};
use gemicro_event::{ErrorKind, Failure, StreamId};

use super::world::{Place, World};

const VARIABLE: &str = "GEMICRO_TEST_BATCH";

/// A process that carries out a batch.
pub(super) struct Life {
    process: Child,
}

impl Life {
    pub(super) fn begin(world: &World, number: usize) -> Self {
        let place = Place {
            owner: format!("life {number}"),
            ..world.place.clone()
        };
        let process = Command::new(std::env::current_exe().unwrap())
            .args(["batch_kills::child::child_process", "--exact", "--nocapture"])
            .env(VARIABLE, serde_json::to_string(&place).unwrap())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(world.place.folder.join(format!("stderr-{number}"))).unwrap())
            .spawn()
            .unwrap();
        Self { process }
    }

    /// Whether it works on the batch, or has.
    pub(super) fn is_driving(&self, world: &World) -> bool {
        world.place.sign(self.process.id()).exists()
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.process.try_wait().unwrap().is_some()
    }

    /// SIGKILL; tells whether it met anybody.
    pub(super) fn kill(&mut self) -> bool {
        use std::os::unix::process::ExitStatusExt;

        self.process.kill().unwrap();
        self.process.wait().unwrap().signal() == Some(9)
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Does nothing in an ordinary test run; the body of the other process otherwise.
#[test]
fn child_process() {
    let Ok(place) = std::env::var(VARIABLE) else {
        return;
    };
    let place: Place = serde_json::from_str(&place).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(carry_out(&place)).unwrap();
}

async fn carry_out(place: &Place) -> Result<(), Failure> {
    let here = LocalRunService::new(place.engine().await?);
    let batches = Batches::new(Arc::new(here.clone()));
    let answer = batches.submit(place.request()).await?;
    let batch = answer.response_id.as_str();
    place.note_batch(batch);
    let run = StreamId::new(batch).unwrap();
    if answer.counts.open() > 0 && !here.carries(&run) {
        match here.resume_from(&run, Default::default(), |_| true).await {
            Ok(_) => {}
            // It ended between the two.
            Err(failure) if failure.kind == ErrorKind::Conflict => {}
            Err(failure) => return Err(failure),
        }
    }
    std::fs::write(place.sign(std::process::id()), "").unwrap();
    batches.wait(batch, None, BoardPage::ALL).await?;
    Ok(())
}
