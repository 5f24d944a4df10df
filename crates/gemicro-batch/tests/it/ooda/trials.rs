//! Measurements and trials in a real sandbox: a program in C that nobody compiles, and tests that look at its text.

use futures_util::future::BoxFuture;
use gemicro_batch::coverage::{FileScope, LineRange};
use gemicro_batch::ooda::{
    Commands, LandedTrial, Mutations, Observation, ObserveInput, Rejection, RejectionKind, TimedCommand,
    TrialFinding, TrialInput, UncoveredLines, observe, try_out,
};
use gemicro_batch::strategy::FileChangeCounts;
use gemicro_batch::workshop::{Renewable, Toolchains, Workshop};
use gemicro_event::{ErrorKind, Failure};
use tokio_util::sync::CancellationToken;

use crate::workshop::World;

const SOURCE: &str =
    "int price(int grams) {\n    if (grams > 50) {\n        return 2;\n    }\n    return 1;\n}\n";
const TEST: &str = "for test in tests/*.sh; do bash $test || exit 1; done";
/// Line 3 is covered where some test says so.
const COVERAGE: &str = "n=$(grep -l covers tests/*.sh | wc -l); \
    printf 'SF:src/a.c\\nDA:2,1\\nDA:3,%s\\nDA:5,1\\nend_of_record\\nSF:tests/a.c\\nDA:1,0\\nend_of_record\\n' $n > lcov.info";

/// A folder that stays as it is.
struct Unrenewed(Workshop);

impl Renewable for Unrenewed {
    fn workshop(&self) -> &Workshop {
        &self.0
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

fn project() -> Option<World> {
    let world = World::new()?;
    world.write("project/src/a.c", SOURCE);
    world.write("project/tests/a.c", "x\n");
    world.write("project/tests/old.sh", "grep -q 'return 1' src/a.c\n");
    Some(world)
}

fn commands(test: &str, coverage: &str, timeout_ms: u64) -> Commands {
    let order = |command: &str| TimedCommand {
        command: command.to_owned(),
        timeout_ms,
    };
    Commands {
        test: order(test),
        coverage: order(coverage),
        reports: vec!["lcov.info".to_owned()],
        scope: FileScope::All,
        leave: Vec::new(),
        environment: Vec::new(),
    }
}

async fn observed(world: &World, commands: &Commands) -> Result<Observation, Failure> {
    let workshop = world.workshop(&Toolchains::default());
    let changes = FileChangeCounts::default();
    observe(
        &Unrenewed(workshop),
        commands,
        (&changes, "c0"),
        &CancellationToken::new(),
    )
    .await
}

#[tokio::test]
async fn a_project_is_measured_without_its_tests() {
    let Some(world) = project() else { return };
    let found = observed(&world, &commands(TEST, COVERAGE, 60_000)).await.unwrap();
    assert_eq!((found.totals.lines, found.totals.covered), (3, 2));
    let uncovered = [UncoveredLines {
        path: "src/a.c".to_owned(),
        ranges: vec![LineRange { first: 3, last: 3 }],
    }];
    assert_eq!((found.uncovered.as_slice(), found.n_gaps), (&uncovered[..], 1));
    assert_eq!(found.gaps[0].gap.name(), "src/a.c:3");
    assert_eq!(
        (found.commit.as_str(), found.folder),
        ("c0", world.path("project").display().to_string())
    );
}

#[tokio::test]
async fn what_cannot_be_measured_is_said() {
    let Some(world) = project() else { return };
    let check = async |commands: Commands, kind: ErrorKind, message: &str| {
        let failure = observed(&world, &commands).await.unwrap_err();
        assert_eq!((failure.kind, failure.message.as_str()), (kind, message));
    };
    use ErrorKind::{Timeout, UnsupportedRepository};
    let failing = "the tests fail (exit code 3), before anything was changed:\nsome words";
    check(
        commands("echo some words; exit 3", COVERAGE, 60_000),
        UnsupportedRepository,
        failing,
    )
    .await;
    let hanging = "the tests did not end within 0 s, before anything was changed";
    check(commands("sleep 1000", COVERAGE, 500), Timeout, hanging).await;
    let broken = "coverage cannot be measured: the coverage command ended with exit code 1";
    check(commands(TEST, "false", 60_000), UnsupportedRepository, broken).await;
    // A report of other days is none.
    world.write("project/lcov.info", "SF:src/a.c\nDA:2,1\nend_of_record\n");
    let old = std::fs::File::options()
        .write(true)
        .open(world.path("project/lcov.info"))
        .unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let silent = "coverage cannot be measured: the coverage command wrote no report";
    check(commands(TEST, "true", 60_000), UnsupportedRepository, silent).await;
    let foreign = "coverage cannot be measured: the report contains no file of the program";
    let tests_only = "printf 'SF:tests/a.c\\nDA:1,0\\nend_of_record\\n' > lcov.info";
    check(commands(TEST, tests_only, 60_000), UnsupportedRepository, foreign).await;
}

/// A trial of a new test with this text.
async fn tried(world: &World, text: &str, timeout_ms: u64) -> (Workshop, TrialFinding) {
    let workshop = world.workshop(&Toolchains::default());
    let commands = commands(TEST, COVERAGE, 60_000);
    let before = observed(world, &commands).await.unwrap();
    let input = TrialInput {
        place: ObserveInput {
            directory: "/none".to_owned(),
            branch: "task/tests".to_owned(),
            commands: Commands {
                test: TimedCommand {
                    timeout_ms,
                    ..commands.test
                },
                ..commands
            },
        },
        answer: format!("```diff\n--- /dev/null\n+++ b/tests/new.sh\n@@ -0,0 +1 @@\n+{text}\n```\n"),
        gap: before.gaps[0].gap.clone(),
        uncovered: before.uncovered,
        covered: before.totals.covered,
        test_ms: before.test_ms,
        mutants: 2,
    };
    let place = Unrenewed(workshop);
    let found = try_out(&place, &input, &CancellationToken::new()).await.unwrap();
    (place.0, found)
}

#[tokio::test]
async fn a_good_test_is_taken() {
    let Some(world) = project() else { return };
    let (workshop, found) = tried(&world, "grep -q 'return 2;' src/a.c # covers", 60_000).await;
    let TrialFinding::Good(good) = found else {
        panic!("{found:?}");
    };
    assert_eq!(
        (good.newly_covered, good.mutations.tried, good.mutations.noticed),
        (1, 2, 2)
    );
    assert_eq!(
        world.read("project/src/a.c"),
        SOURCE,
        "what was broken is whole again"
    );
    assert_eq!(
        world.read("project/tests/new.sh"),
        "grep -q 'return 2;' src/a.c # covers\n"
    );
    let landed = LandedTrial {
        branch: "task/tests".to_owned(),
        commit: "c1".to_owned(),
        worktree: None,
        reports: Vec::new(),
    };
    let trial = good
        .landed_trial(&workshop, (&FileChangeCounts::default(), "c1"), landed.clone())
        .unwrap();
    let after = trial.after.unwrap();
    assert_eq!(
        (after.totals.covered, after.n_gaps, after.commit.as_str()),
        (3, 0, "c1")
    );
    assert_eq!((trial.rejection, trial.landed), (None, Some(landed)));
}

#[tokio::test]
async fn a_test_that_breaks_a_rule_is_rejected() {
    let Some(world) = project() else { return };
    let check = async |text: &str, timeout_ms: u64, expected: Rejection| {
        let (_, found) = tried(&world, text, timeout_ms).await;
        let TrialFinding::Rejected(trial) = found else {
            panic!("{found:?}");
        };
        assert_eq!(trial.rejection, Some(expected));
        assert_eq!((&trial.after, &trial.landed), (&None, &None));
        assert_eq!(world.read("project/src/a.c"), SOURCE);
        std::fs::remove_file(world.path("project/tests/new.sh")).unwrap();
    };
    let rejection = |reason, message: &str, output: &str| Rejection {
        reason,
        message: message.to_owned(),
        output: output.to_owned(),
    };
    let fails = rejection(
        RejectionKind::TestsFail,
        "the tests fail (exit code 1) with this test",
        "why\n",
    );
    check("echo why; exit 1", 60_000, fails).await;
    let hangs = rejection(
        RejectionKind::TestsHang,
        "the tests did not end within 0 s with this test",
        "",
    );
    check("sleep 1000", 500, hangs).await;
    let idle = "coverage did not rise: none of the lines src/a.c:3 is run by this test, nor any other line that was not covered";
    check(
        "true",
        60_000,
        rejection(RejectionKind::CoverageNotRaised, idle, ""),
    )
    .await;
    let useless = "the test does not check what it runs: it noticed 0 of 2 versions with broken code";
    let (_, found) = tried(&world, "true # covers", 60_000).await;
    let TrialFinding::Rejected(trial) = found else {
        panic!("{found:?}");
    };
    let about = trial.mutations.about.clone();
    let mutations = Mutations {
        tried: 2,
        noticed: 0,
        odd: None,
        about: about.clone(),
    };
    assert_eq!((trial.newly_covered, trial.mutations), (1, mutations));
    let expected = rejection(RejectionKind::BrokenCodeNotNoticed, useless, &about.join("\n"));
    assert_eq!(trial.rejection, Some(expected));
    assert!(
        about
            .iter()
            .all(|it| it.starts_with("src/a.c:3: ") && it.ends_with(": not noticed")),
        "{about:?}"
    );
}

#[tokio::test]
async fn a_test_that_fails_for_other_reasons_proves_nothing() {
    let Some(world) = project() else { return };
    let sum = "md5sum < src/a.c | cut -c1-32";
    let hashed = format!("echo $({sum}) > sum.txt; [ \"$(cat tests/sum)\" = \"$(cat sum.txt)\" ] # covers");
    let output = std::process::Command::new("bash")
        .args(["-c", sum])
        .current_dir(world.path("project"))
        .output()
        .unwrap();
    world.write("project/tests/sum", &String::from_utf8(output.stdout).unwrap());
    let counted = "echo x >> n; [ $(wc -l < n) -lt 3 ] # covers";
    for (text, words) in [
        (
            hashed.as_str(),
            "the test looks at the text of the program, not at what it does",
        ),
        (counted, "the test does not pass when it is run again"),
    ] {
        let (_, found) = tried(&world, text, 60_000).await;
        let TrialFinding::Rejected(trial) = found else {
            panic!("{found:?}");
        };
        let rejection = trial.rejection.unwrap();
        assert_eq!(
            (rejection.reason, rejection.message.as_str()),
            (RejectionKind::BrokenCodeNotNoticed, words)
        );
        assert_eq!(world.read("project/src/a.c"), SOURCE);
        std::fs::remove_file(world.path("project/tests/new.sh")).unwrap();
    }
}
