//! The demo: the whole bugfix pipeline on a throwaway repository, without key and network.

use std::path::Path;
use std::process::Command;

use crate::program::World;

#[test]
fn the_demo_tells_its_story_and_can_be_looked_at() {
    let world = World::new();
    let folder = world.path("demo");
    std::fs::create_dir(world.path("user")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut demo = world.command(&["demo", "--dir"]);
    let output = demo.arg(&folder).env("PATH", &path).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    let mut rest = told.as_str();
    for part in [
        "INVESTIGATOR: ",
        "LEAD ANALYST: APPROVE.",
        "ARCHITECT: ",
        "PLAN REVIEWER: APPROVE.",
        "DEVELOPER: Implementation complete.",
        "AUDITOR: FAIL.",
        "Back to implementation (B).",
        "AUDITOR: PASS.",
        "CONFLICT in",
        "INTEGRATION SPECIALIST: Conflicts resolved.",
        "AUDITOR: PASS.",
        "Pushed 'task/rounding-prices' to origin.",
        "Pipeline Success!",
        "Look at it:",
    ] {
        rest = match rest.split_once(part) {
            Some((_, rest)) => rest,
            None => panic!("`{part}` is missing:\n{told}"),
        };
    }
    assert!(!told.contains("ALARM"), "{told}");

    // Its advice works when it is pasted, and the test that failed passes on the branch.
    let program = Path::new(env!("CARGO_BIN_EXE_gemicro")).parent().unwrap();
    let search = format!("{}:{path}", program.display());
    let repository = folder.join("price");
    let proof = format!(
        "\ncd {}/.worktrees/task-rounding-prices\nsh tests/run.sh\ntest $(sh price.sh 199 7) = 213",
        folder.display()
    );
    let advice: Vec<&str> = rest.lines().map(str::trim).collect();
    let script = format!("set -e\ncd {}\n{}", repository.display(), advice.join("\n"));
    let (looked, _) = script.split_once("rm -rf").unwrap();
    let looked = Command::new("sh")
        .args(["-c", &format!("{looked}{proof}")])
        .env("PATH", search)
        .output()
        .unwrap();
    let seen = String::from_utf8_lossy(&looked.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&looked.stderr).into_owned();
    assert!(looked.status.success(), "{seen}\n{wrong}");
    assert!(seen.contains("AUDITOR") || seen.contains("Auditor"), "{seen}");
    assert!(seen.contains("diff --git a/price.sh b/price.sh"), "{seen}");
}
