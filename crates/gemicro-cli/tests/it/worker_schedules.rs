//! Three workers in processes of their own over one PostgreSQL, which are killed, stopped, told to leave and cut off from
//! their database in random orders: no command begins twice, every task comes to an end, and so does the journal.
//!
//! Nobody can repeat a moment, but a seed gives the same order again.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::server::Server;
use crate::simulated::{Simulated, until};

/// Orders in an ordinary test run.
const FEW: u64 = 1;
/// Commands and prompts of a batch, each.
const N_TASKS: usize = 20;
/// What happens to the workers of one batch.
const N_ACTS: usize = 6;
/// A batch that has not ended so long after everything is well never will.
const PATIENCE: Duration = Duration::from_secs(180);
/// More events than this no batch of this size needs, whatever happens to its workers.
const MAX_EVENTS: u64 = 6_000;

/// The exit code of a worker whose store cannot be reached when it starts.
const NOT_SET_UP: i32 = 3;

const MACHINES: [&str; 3] = ["one", "two", "three"];

#[test]
fn no_order_of_deaths_doubles_a_command_or_strands_a_task() {
    survive(FEW);
}

#[test]
#[ignore = "takes long; GEMICRO_SCHEDULES=200 cargo test -p gemicro-cli --test it worker_schedules -- --ignored --nocapture"]
fn no_order_of_many_doubles_a_command_or_strands_a_task() {
    survive(asked("GEMICRO_SCHEDULES").unwrap_or(200));
}

#[expect(clippy::print_stdout, reason = "how far it is, and which seed failed")]
fn survive(n_schedules: u64) {
    let first = asked("GEMICRO_SCHEDULE_SEED").unwrap_or(1);
    for seed in first..first + n_schedules {
        println!("GEMICRO_SCHEDULE_SEED={seed}");
        let server = Server::start();
        println!("  {}", World::new(server, seed).play());
    }
}

fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

struct World {
    server: Server,
    simulated: Simulated,
    random: u64,
    workers: [Option<Child>; 3],
}

impl World {
    fn new(server: Server, seed: u64) -> Self {
        let simulated = Simulated::new(
            "  - { name: answers, reply: { text: hello, delay: { first_ms: 1500, between_ms: 0 } } }\n",
        );
        for folder in ["project", "user"] {
            fs::create_dir_all(simulated.world.path(folder)).unwrap();
        }
        let mut world = Self {
            server,
            simulated,
            random: seed,
            workers: [None, None, None],
        };
        for at in 0..MACHINES.len() {
            world.start(at);
        }
        world
    }

    fn play(mut self) -> String {
        let id = self.submit();
        let mut acts = Vec::new();
        for _ in 0..N_ACTS {
            let pause = self.below(2_500);
            std::thread::sleep(Duration::from_millis(pause));
            let at = usize::try_from(self.below(3)).unwrap();
            let act = match self.below(7) {
                0 | 1 => self.kill(at),
                2 | 3 => self.stop_for_a_while(at),
                4 | 5 => self.tell_to_leave(at),
                _ => self.outage(),
            };
            acts.push(act);
        }
        let polled = self.wait_for_the_end(&id, &acts);
        self.check(&polled, &acts)
    }

    fn submit(&self) -> String {
        let commands = (0..N_TASKS).map(|n| {
            let command = format!("echo begin {n} >> log.txt; sleep 2; echo end {n} >> log.txt");
            json!({ "task_id": format!("s{n}"), "type": "execute_shell_command", "parameters": { "command": command } })
        });
        let prompts = (0..N_TASKS).map(|n| {
            json!({ "task_id": format!("p{n}"), "type": "prompt", "parameters": { "prompt": format!("question {n}.") } })
        });
        let batch: Value = commands.chain(prompts).collect();
        fs::write(self.simulated.world.path("batch.json"), batch.to_string()).unwrap();
        let status = || self.call("one", &["worker", "status", "--format", "json"]);
        until("the first worker", || status().filter(|status| !status.is_null()));
        let submitted = self.call("one", &["batch", "submit", "batch.json", "--dir", "project"]);
        submitted.unwrap()["response_id"].as_str().unwrap().to_owned()
    }

    fn kill(&mut self, at: usize) -> String {
        let mut worker = self.workers[at].take().unwrap();
        worker.kill().unwrap();
        worker.wait().unwrap();
        self.start(at);
        format!("kill {at}")
    }

    /// Longer than the lease of a step, and now and then than that of a run.
    fn stop_for_a_while(&mut self, at: usize) -> String {
        let worker = Pid::from_child(self.workers[at].as_ref().unwrap());
        let millis = 3_000 + self.below(9_000);
        kill_process(worker, Signal::STOP).unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        kill_process(worker, Signal::CONT).unwrap();
        format!("stop {at} for {millis}")
    }

    fn tell_to_leave(&mut self, at: usize) -> String {
        let mut worker = self.workers[at].take().unwrap();
        kill_process(Pid::from_child(&worker), Signal::TERM).unwrap();
        until("the end of the worker", || worker.try_wait().unwrap());
        self.start(at);
        format!("term {at}")
    }

    fn outage(&mut self) -> String {
        let millis = 1_000 + self.below(11_000);
        self.server.stop();
        std::thread::sleep(Duration::from_millis(millis));
        self.server.go_on();
        format!("outage of {millis}")
    }

    /// Everything is well from now on.
    fn wait_for_the_end(&mut self, id: &str, acts: &[String]) -> Value {
        let started = Instant::now();
        loop {
            for at in 0..MACHINES.len() {
                let worker = self.workers[at].as_mut().unwrap();
                match worker.try_wait().unwrap().map(|ended| ended.code()) {
                    None => {}
                    // It started during an outage and says so; whoever keeps it running starts it again.
                    Some(Some(NOT_SET_UP)) if acts.iter().any(|act| act.starts_with("outage")) => {
                        self.start(at)
                    }
                    Some(code) => panic!("worker {at} ended by itself with {code:?} after {acts:?}"),
                }
            }
            let polled = self.call("watcher", &["batch", "poll", id]);
            match polled {
                Some(polled) if polled["status"] != "pending" => return polled,
                polled => assert!(
                    started.elapsed() < PATIENCE,
                    "the batch never ends after {acts:?}: {polled:?}\n{}",
                    self.logs()
                ),
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn check(&self, polled: &Value, acts: &[String]) -> String {
        let log = fs::read_to_string(self.simulated.world.path("project/log.txt")).unwrap_or_default();
        let n_lines = |line: String| log.lines().filter(|it| **it == *line).count();
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        let results = polled["results"].as_array().unwrap();
        assert_eq!(results.len(), 2 * N_TASKS);
        for result in results {
            let (task, state) = (result["task_id"].as_str().unwrap(), result["state"].as_str());
            let state = state.or(result["status"].as_str()).unwrap_or("?");
            let kind = result["error_kind"].as_str().unwrap_or_default();
            *counts
                .entry(format!("{} {state} {kind}", &task[..1]))
                .or_default() += 1;
            if let Some(number) = task.strip_prefix('s') {
                let (n_begun, n_ended) = (
                    n_lines(format!("begin {number}")),
                    n_lines(format!("end {number}")),
                );
                assert!(
                    n_begun <= 1,
                    "{task} began {n_begun} times after {acts:?}: {result}"
                );
                let is_done = state == "completed";
                assert!(
                    !is_done || n_ended == 1,
                    "{task} is done and did not end, after {acts:?}"
                );
                assert_ne!(
                    state, "cancelled",
                    "nobody cancelled {task}, after {acts:?}: {result}"
                );
            }
        }
        let id = polled["response_id"].as_str().unwrap();
        let events = self.text("watcher", &["events", id]).unwrap();
        let n_events = events.lines().count() as u64;
        assert!(n_events < MAX_EVENTS, "{n_events} events after {acts:?}");
        format!("{counts:?}, {n_events} events, after {acts:?}")
    }

    fn start(&mut self, at: usize) {
        let log = self.simulated.world.path(&format!("{}.log", MACHINES[at]));
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .unwrap();
        let mut command = self.command(MACHINES[at], &["worker"]);
        command.stdout(Stdio::null()).stderr(log);
        self.workers[at] = Some(command.spawn().unwrap());
    }

    /// The program over the shared store, on a machine of this name; the watcher's only looks.
    fn command(&self, machine: &str, arguments: &[&str]) -> Command {
        let mut command = self.simulated.command(arguments);
        let resident = if machine == "watcher" { "off" } else { "on" };
        command
            .env("GEMICRO_HOME", self.simulated.world.path(machine))
            .env("GEMICRO_STORE", self.server.address())
            .env("GEMICRO_RESIDENT", resident)
            .env("PATH", "/usr/bin:/bin");
        command
    }

    fn text(&self, machine: &str, arguments: &[&str]) -> Option<String> {
        let called = self
            .simulated
            .world
            .finish(self.command(machine, arguments).output().unwrap());
        (called.code == 0 || !called.stdout.is_empty()).then_some(called.stdout)
    }

    fn call(&self, machine: &str, arguments: &[&str]) -> Option<Value> {
        serde_json::from_str(&self.text(machine, arguments)?).ok()
    }

    fn logs(&self) -> String {
        let read = |machine: &str| {
            let log = fs::read_to_string(self.simulated.world.path(&format!("{machine}.log")));
            let log = log.unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(20).collect();
            format!("{machine}: {last:#?}\n")
        };
        MACHINES.iter().map(|machine| read(machine)).collect()
    }

    /// The same numbers for the same seed (SplitMix64).
    fn below(&mut self, most: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % most
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for worker in self.workers.iter_mut().flatten() {
            worker.kill().ok();
            worker.wait().ok();
        }
    }
}
