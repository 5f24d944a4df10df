//! Random orders of taking, beginning, dying, falling silent and taking over: no command begins twice, and every step
//! comes to an end.

mod world;

use std::sync::Arc;
use std::time::Duration;

use gemicro_store::DurableStore;

use self::world::World;
use super::server::Server;

/// Orders that are tried on each store.
const N_SCHEDULES: u64 = 40;
const N_ACTS: usize = 60;
/// Half of them commands, half of them model calls.
const N_STEPS: usize = 4;
const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_schedule_on_sqlite_begins_a_command_twice() {
    let (_folder, store) = super::store().await;
    all_schedules(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_schedule_on_postgres_begins_a_command_twice() {
    let server = Server::start();
    let store = Arc::new(server.store().await);
    all_schedules(&store).await;
}

/// All at once: each has kinds of its own, so its workers get its steps alone.
async fn all_schedules(store: &Arc<DurableStore>) {
    let schedules = (0..N_SCHEDULES).map(|seed| {
        let world = World::new(store.clone(), seed);
        tokio::time::timeout(2 * MINUTE, world.play())
    });
    let results = futures_util::future::join_all(schedules).await;
    let late: Vec<usize> = (0..)
        .zip(&results)
        .filter(|(_, it)| it.is_err())
        .map(|(n, _)| n)
        .collect();
    assert!(
        late.is_empty(),
        "the schedules with these seeds never end: {late:?}"
    );
    store.close().await;
}
