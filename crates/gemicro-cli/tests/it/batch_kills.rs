//! `kill -9` at random moments of a batch of 100 tasks, over a flaky model and over real shell commands, on both
//! engines: nothing is lost, nothing happens twice, and every poll tells the truth (B7).
//!
//! `child` is the process that is killed, `world` what it works with, `ledger` what polls and the journal must show.
//! Nobody can repeat a moment, but a seed gives the same delays again.

mod child;
mod ledger;
mod world;

use std::time::{Duration, Instant};

use child::Life;
use ledger::Ledger;
use world::World;

use crate::server::Server;

/// Kills in an ordinary test run.
const FEW: usize = 10;
/// Kills of one batch; then it may come to its end.
const MOST_OF_ONE: usize = 25;
/// A life is ended after this time at the latest, counted from the start of its process or from when it drives the batch.
const LONGEST_LIFE: Duration = Duration::from_millis(1_200);
/// How often a batch is polled while its process lives.
const LOOK: Duration = Duration::from_millis(40);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_on_sqlite_survive_kills() {
    survive(None, FEW).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_on_postgres_survive_kills() {
    let server = Server::start();
    survive(Some(&server), FEW).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long; GEMICRO_KILLS=1000 cargo test -p gemicro-cli --test it batch_kills -- --ignored --nocapture"]
async fn batches_on_sqlite_survive_many_kills() {
    survive(None, asked("GEMICRO_KILLS").unwrap_or(1_000)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long; GEMICRO_KILLS=1000 cargo test -p gemicro-cli --test it batch_kills -- --ignored --nocapture"]
async fn batches_on_postgres_survive_many_kills() {
    let server = Server::start();
    survive(Some(&server), asked("GEMICRO_KILLS").unwrap_or(1_000)).await;
}

/// Batches, one after another, until there were so many kills; some of them met work.
#[expect(clippy::print_stdout, reason = "how far it is, and which seed failed")]
async fn survive(server: Option<&Server>, n_kills: usize) {
    let mut random = Random(asked("GEMICRO_KILL_SEED").unwrap_or(1) as u64);
    let (mut left, mut n_cut_off) = (n_kills, 0);
    while left > 0 {
        let seed = random.0;
        println!("{left} kills to go, GEMICRO_KILL_SEED={seed}");
        let Some(world) = World::new(server.map(Server::address)).await else {
            return;
        };
        let (ledger, n_kills) = one_batch(&world, &mut random, left.min(MOST_OF_ONE)).await;
        let cut_off = ledger.check(&world).await;
        println!("{n_kills} kills: {cut_off}");
        left -= n_kills;
        n_cut_off += cut_off.n_attempts;
    }
    assert!(n_cut_off > 0, "no kill met any work");
}

/// Carries out a batch in lives that are ended at random; tells how often.
async fn one_batch(world: &World, random: &mut Random, most_kills: usize) -> (Ledger, usize) {
    let mut ledger = Ledger::default();
    let mut n_kills = 0;
    for number in 0..200 {
        let mut life = Life::begin(world, number);
        let length = random.below(LONGEST_LIFE);
        // Opening the store and taking the batch over are hit as well as the work itself.
        let mut counted_from = random.coin().then(Instant::now);
        let started = Instant::now();
        let is_killed = loop {
            if life.has_ended() {
                break false;
            }
            if counted_from.is_none() && life.is_driving(world) {
                counted_from = Some(Instant::now());
            }
            if n_kills < most_kills && counted_from.is_some_and(|from| from.elapsed() >= length) {
                break life.kill();
            }
            assert!(
                started.elapsed() < Duration::from_secs(90),
                "life {number} does not end"
            );
            ledger.poll(world).await;
            tokio::time::sleep(LOOK).await;
        };
        n_kills += usize::from(is_killed);
        if ledger.poll(world).await {
            return (ledger, n_kills);
        }
    }
    panic!("the batch does not come to its end");
}

fn asked(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The same numbers for the same seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn coin(&mut self) -> bool {
        self.next().is_multiple_of(2)
    }

    fn below(&mut self, most: Duration) -> Duration {
        let micros = u64::try_from(most.as_micros()).unwrap();
        Duration::from_micros(self.next() % micros)
    }
}
