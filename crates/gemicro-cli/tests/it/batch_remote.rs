//! `gemicro batch --server`: the batches of a server, with the same commands.

use serde_json::{Value, json};

use crate::program::World;
use crate::serving::{Serving, command};

/// A batch command on a machine of its own, told where the server is.
fn remote(world: &World, serving: &Serving, arguments: &[&str]) -> (i32, Value) {
    let mut command = world.command(&["batch"]);
    command
        .args(arguments)
        .args(["--server", &format!("http://{}", serving.address)])
        .env("GEMICRO_HOME", world.path("elsewhere"))
        .env("GEMICRO_TOKEN", &serving.token);
    let called = world.finish(command.output().unwrap());
    let answer = serde_json::from_str(&called.stdout).unwrap_or(Value::Null);
    (called.code, answer)
}

#[test]
fn a_batch_of_a_server_is_handed_in_and_waited_for() {
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    let shell = |id: &str, command: &str| json!({ "task_id": id, "type": "execute_shell_command", "parameters": { "command": command } });
    let tasks = json!([shell("a", "echo one"), shell("b", "exit 3"), { "task_id": "c", "type": "nothing", "parameters": {} }]);
    std::fs::write(world.path("tasks.json"), tasks.to_string()).unwrap();
    let (code, first) = remote(&world, &serving, &["submit", "tasks.json", "--key", "k"]);
    assert_eq!(code, 0, "{first}");
    let id = first["response_id"].as_str().unwrap().to_owned();
    let (_, again) = remote(&world, &serving, &["submit", "tasks.json", "--key", "k"]);
    assert_eq!(again["response_id"], first["response_id"]);
    let (code, last) = remote(&world, &serving, &["wait", &id]);
    assert_eq!((code, &last["status"]), (9, &json!("completed")), "{last}");
    assert_eq!(last["results"][0]["output"]["stdout"], "one\n");
    assert_eq!(last["results"][1]["output"]["exit_code"], 3);
    assert_eq!(last["results"][2]["state"], "rejected");
    let (code, polled) = remote(&world, &serving, &["poll", "last"]);
    assert_eq!((code, polled), (0, last));
    // What only this machine could know is refused, and so is a wrong token.
    let (code, _) = remote(&world, &serving, &["submit", "tasks.json", "--dir", "docs"]);
    assert_eq!(code, 2);
    let mut wrong = world.command(&[
        "batch",
        "list",
        "--server",
        &format!("http://{}", serving.address),
    ]);
    wrong.env("GEMICRO_TOKEN", "x".repeat(40));
    let called = world.finish(wrong.output().unwrap());
    assert_eq!(called.code, 3, "{}", called.stderr);
    // Without one there is the file that the server made on this machine.
    let here = [
        "batch",
        "list",
        "--format",
        "json",
        "--server",
        &format!("http://{}", serving.address),
    ];
    let listed: Value = serde_json::from_str(&world.must(&here).stdout).unwrap();
    assert_eq!(listed[0]["response_id"], id);
}
