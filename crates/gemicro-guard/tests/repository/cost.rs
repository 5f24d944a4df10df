//! What it costs. Printed, not judged: `cargo nextest run … cost --run-ignored all --no-capture`.

use std::time::Instant;

use gemicro_guard::repository::Start;
use gemicro_guard::sandbox::Tier;

use crate::world::World;

#[test]
#[ignore = "a measurement"]
fn of_a_task_in_a_tree_of_6500_files() {
    let world = World::new();
    world.shell(
        "cd repo; for d in $(seq 65); do mkdir -p tree/$d; for f in $(seq 100); do seq $f $((f + d)) > tree/$d/$f.rs; done; done
        git add -A; git commit -qm tree; git gc -q",
    );
    let start = Instant::now();
    let repository = world.open();
    println!("open {:?}", start.elapsed());
    let start = Instant::now();
    let base = Start::New(repository.head().clone());
    let mut task = world.try_task(&repository, "t1", "cost", base).unwrap();
    println!("create {:?}", start.elapsed());
    world.agent(
        Tier::Full,
        &task,
        "for f in tree/*/*.rs; do echo more >> $f; done",
    );
    let start = Instant::now();
    let finished = world.finish(Tier::Full, &repository, &mut task);
    println!("commit, bundle, import, show: {:?}", start.elapsed());
    assert_eq!(finished.imported().n_files, 6500);
    world.agent(Tier::Full, &task, "echo one > one");
    let start = Instant::now();
    world.finish(Tier::Full, &repository, &mut task).imported();
    println!("the same for one file: {:?}", start.elapsed());
    let start = Instant::now();
    task.rebuild(&repository).unwrap();
    println!("rebuild {:?}", start.elapsed());
}
