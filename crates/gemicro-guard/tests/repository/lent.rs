//! Files that a task was only lent: what is secret in them comes back in no commit, whatever it is called there.

use gemicro_guard::repository::{BundleResult, CommitMessage, Import, ImportRules, RepositoryError, import};
use gemicro_guard::sandbox::Tier;

use crate::world::{World, said};

const ENV: &str = "# settings of mine
PASSWORD=hunter2
API_KEY=\"sk-4f9a8c7e6d5b\"
NODE_ENV=production
DOCS=https://example.org/v2/docs
DEBUG=true
HOOK_TOKEN=abc123def456ghi # production
DATABASE_URL=postgres://u:PASSw0rd123x@db01.example.org/orders
";

/// What becomes of the commits of a script that was lent these files.
fn taken_over(world: &World, script: &str) -> Result<Import, RepositoryError> {
    let repository = world.open();
    let mut task = world.task(&repository);
    let output = world.agent(Tier::Full, &task, script);
    assert!(output.is_success(), "{script}: {}", said(&output));
    let inside = world.inside(Tier::Full, &task);
    let message = CommitMessage {
        text: "work".to_owned(),
        trailers: Vec::new(),
    };
    inside.commit_all(&task, &message)?;
    assert_eq!(inside.bundle(&task)?, BundleResult::Something);
    let rules = ImportRules {
        never: [".env", "certs", "modules", "deep/inner/pem"]
            .map(str::to_owned)
            .to_vec(),
        ..ImportRules::default()
    };
    import(&repository, &mut task, &rules)
}

fn world() -> World {
    let world = World::new();
    world.shell(
        "cd repo; printf '.env\\ncerts\\nmodules\\n' > .gitignore; echo 'set NODE_ENV=production' > README; git add -A
        git commit -qm ignore; mkdir certs modules; printf 'x1y2z3a4b5c6d7e8f9g0\\n' > certs/pem
        for n in $(seq 101); do echo aB3dE6gH9jK2$n > modules/$n; done",
    );
    std::fs::write(world.path("repo/.env"), ENV).unwrap();
    world
}

#[test]
fn what_is_secret_in_a_lent_file_is_refused() {
    for (script, place) in [
        (format!("cat > conf.txt <<'E'\n{ENV}E"), "conf.txt contains"),
        (
            format!("mkdir d; {{ echo first; cat <<'E'\n{ENV}E\n}} > d/x"),
            "d/x contains",
        ),
        ("echo PASSWORD=hunter2 >> a.txt".to_owned(), "a.txt contains"),
        (
            "echo '{ \"k\": \"sk-4f9a8c7e6d5b\" }' > k.json".to_owned(),
            "k.json contains",
        ),
        ("echo abc123def456ghi > t".to_owned(), "t contains"),
        ("echo PASSw0rd123x > d".to_owned(), "d contains"),
        (
            "printf '\\0\\1sk-4f9a8c7e6d5b' > k.bin".to_owned(),
            "k.bin contains",
        ),
        ("ln -s sk-4f9a8c7e6d5b k".to_owned(), "k contains"),
        (
            "touch x-sk-4f9a8c7e6d5b".to_owned(),
            "the name of a file contains",
        ),
        (
            "git commit -q --allow-empty -m 'use sk-4f9a8c7e6d5b'".to_owned(),
            "the message of a commit contains",
        ),
        (
            "echo x1y2z3a4b5c6d7e8f9g0 > p".to_owned(),
            "p contains a secret from certs/pem",
        ),
        // Taken out again, but still in the history.
        (
            "echo sk-4f9a8c7e6d5b > k; git add -A; git commit -qm k; git rm -q k; git commit -qm less"
                .to_owned(),
            "k contains a secret from .env",
        ),
        (
            "echo x > .env; git add -f .env; git commit -qm k; git rm -q .env; git commit -qm less"
                .to_owned(),
            ".env was copied into the task",
        ),
        // Content that the history has already.
        (
            "cp a.txt .env; git add -f .env; git commit -qm k".to_owned(),
            ".env was copied into the task",
        ),
        ("echo x > deep".to_owned(), "deep/inner/pem"),
        ("mkdir deep; ln -s .. deep/inner".to_owned(), "deep/inner/pem"),
    ] {
        let world = world();
        let error = taken_over(&world, &script).unwrap_err().to_string();
        assert!(error.contains(place), "{script}: {error}");
        assert!(
            !error.contains("hunter2") && !error.contains("4f9a8c7e"),
            "{error}"
        );
        let log = world.shell("git -C repo log -p task/x/work");
        assert!(!log.contains("4f9a8c7e"), "{log}");
    }
}

#[test]
fn what_is_no_secret_may_be_committed() {
    for script in [
        "echo NODE_ENV=production > .env.example",
        "printf 'DEBUG=true\\nPASSWORD=\\nAPI_KEY=...\\n' > .env.example",
        "echo 'See https://example.org/v2/docs, and hunter2.' > notes",
        "echo 'The orders are at db01.example.org, for production.' > notes",
        // So many files are dependencies.
        "echo aB3dE6gH9jK25 > used",
    ] {
        let taken = taken_over(&world(), script);
        assert!(matches!(taken, Ok(Import::Done(_))), "{script}: {taken:?}");
    }
}
