//! What reviewers and gemicro see of a branch is what will be delivered, whatever the branch itself does about it.

use super::life::{Life, started};
use super::scene::{BRANCH, Ran, Scene, outcomes};

/// A repository with two rounds for each phase.
fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.workflow("rounds: 4", "rounds: 2");
    scene
}

/// A repository whose setup is a script of its own.
fn with_setup() -> Scene {
    let mut scene = scene();
    std::fs::write(scene.project("setup.sh"), "touch ready\n").unwrap();
    std::fs::write(scene.project(".gitignore"), "ready\n").unwrap();
    scene.workflow("setup: []", "setup: [sh setup.sh]");
    scene
}

/// A developer who hides a line of `bye.sh` by what the setup does.
fn hidden(setup: &str) -> String {
    format!(
        "change() {{
            [ -f bye.sh ] && return
            printf 'echo bye\\n: EVIL\\n' > bye.sh
            echo 'test \"$(sh bye.sh)\" = bye' > tests/bye_test.sh
            echo '`bye.sh` says bye.' >> README.md
            cat > setup.sh <<'SETUP'\ntouch ready\n{setup}\ntrue\nSETUP
        }}
        audit() {{
            grep -q EVIL bye.sh && git show HEAD:bye.sh | grep -q EVIL || exit 1
            test -z \"$(git status --porcelain)\" && test -f ready || exit 1
            review
            pass
        }}"
    )
}

#[test]
fn a_setup_decides_nothing_of_what_a_reviewer_sees() {
    let rewrite = "echo 'echo bye' > bye.sh
        git replace -f $(git rev-parse HEAD:bye.sh) $(git hash-object -w bye.sh)
        git update-index --assume-unchanged bye.sh";
    let scene = with_setup();
    scene.agents(&hidden(rewrite));
    let ran = scene.run(&[]);
    ran.assert_completed();
    scene.assert_main_untouched();
}

#[test]
fn a_setup_that_hides_the_repository_proves_nothing() {
    let scene = with_setup();
    scene.agents(&hidden("git init -q tests"));
    let ran = scene.run(&[]);
    ran.assert_failed("gate_closed");
    assert!(
        ran.reasons().contains("`tests/.git` cannot be used"),
        "{}",
        ran.reasons()
    );
    scene.assert_main_untouched();
}

#[test]
fn checks_run_on_committed_files_whatever_the_setup_made_of_them() {
    let scene = with_setup();
    let functions = "change() {
        echo 'echo adieu' > bye.sh
        echo 'test \"$(sh bye.sh)\" = bye' > tests/bye_test.sh
        echo '`bye.sh` says bye.' >> README.md
        printf 'touch ready\\necho true > tests/bye_test.sh\\n' > setup.sh
    }";
    scene.agents(functions);
    let ran = scene.run(&[]);
    ran.assert_failed("gate_closed");
    assert!(ran.reasons().contains("not ok"), "{}", ran.reasons());
}

/// A run that came to its end although main and the branch both change the README.
pub(super) fn conflicted(resolve: &str) -> (Scene, i32, String) {
    let (scene, life) = conflicting(resolve);
    let (code, words) = life.end();
    scene.assert_main_untouched();
    (scene, code, words)
}

/// A run during whose audit main goes on, so that both change the README.
pub(super) fn conflicting(resolve: &str) -> (Scene, Life) {
    let mut scene = scene();
    scene.agents(&format!(
        "audit() {{ case $document in *code_review*) until [ -e \"${{0%/*}}/go\" ]; do sleep 0.05; done ;; esac; review; pass; }}
        {resolve}"
    ));
    let life = Life::begin(&scene, &Scene::arguments(&[]));
    assert!(life.reach(started("audit.1:agent.1")));
    std::fs::write(scene.project("README.md"), "# Words\n\nAll of them.\n").unwrap();
    std::fs::write(scene.project("hello.sh"), "echo hello\n# mended\n").unwrap();
    std::fs::write(scene.project("tests/main_test.sh"), "true\n").unwrap();
    scene.commit_all("main: goes on");
    std::fs::write(scene.world.path("agents/go"), "").unwrap();
    (scene, life)
}

/// How an agent resolves, after it did something else.
pub(super) fn resolving(first: &str) -> String {
    format!(
        "resolve() {{
            sed -i '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' README.md
            {first}
            git add -A
            git commit -q -m merged
            answer 'Both stay.' \"{{\\\"status\\\": \\\"success\\\", \\\"commit_hash\\\": \\\"$(git rev-parse HEAD)\\\"}}\"
        }}"
    )
}

#[test]
fn a_merge_that_throws_changes_away_is_refused() {
    for (first, named) in [
        (
            "git checkout -q HEAD -- hello.sh; git rm -q -f tests/main_test.sh",
            "hello.sh, tests/main_test.sh",
        ),
        ("echo 'echo evil' > evil.sh", "evil.sh"),
        ("git rm -q -f bye.sh", "bye.sh"),
    ] {
        let (scene, code, words) = conflicted(&resolving(first));
        let ran = Ran {
            called: scene.world.call(&["show", "last"]),
            events: scene.events(),
        };
        assert_eq!(code, 8, "{first}: {words}");
        assert_eq!(
            outcomes(&ran.events).last().unwrap(),
            "conflict_resolution.2 stop",
            "{first}"
        );
        let reason = format!("not in conflict, but different from git's merge: {named}.");
        assert!(ran.reasons().contains(&reason), "{first}: {}", ran.reasons());
        scene.assert_not_merged();
    }
}

/// What only the task's own attributes bring into conflict is as git merges it without them.
#[test]
fn attributes_of_the_task_open_no_file() {
    let functions = format!(
        "change() {{
            [ -f bye.sh ] && return
            echo 'echo bye' > bye.sh
            echo 'test \"$(sh bye.sh)\" = bye' > tests/bye_test.sh
            echo '`bye.sh` says bye.' >> README.md
            sed -i '1i # greets' hello.sh
            echo 'hello.sh -merge' > .gitattributes
        }}
        {}",
        resolving(
            "git diff --name-only --diff-filter=U | grep -qx hello.sh && git checkout -q --ours -- hello.sh"
        )
    );
    let (scene, code, words) = conflicted(&functions);
    let ran = Ran {
        called: scene.world.call(&["show", "last"]),
        events: scene.events(),
    };
    assert_eq!(code, 8, "{words}");
    let reason = "not in conflict, but different from git's merge: hello.sh.";
    assert!(ran.reasons().contains(reason), "{}", ran.reasons());
}

#[test]
fn a_merge_can_be_put_right_and_fit_the_task() {
    // In the first round main's change is lost; in the second it is there, and a file of the task is made to fit.
    let resolve = resolving(
        "if printf '%s' \"$prompt\" | grep -q '^This is round 2'; then
            echo '# fits' >> bye.sh
        else
            git checkout -q HEAD -- hello.sh
        fi",
    );
    let (scene, code, words) = conflicted(&resolve);
    assert_eq!(code, 0, "{words}");
    assert_eq!(
        scene.git(&["show", &format!("{BRANCH}:hello.sh")]),
        "echo hello\n# mended"
    );
    assert_eq!(
        scene.git(&["show", &format!("{BRANCH}:bye.sh")]),
        "echo bye\n# fits"
    );
}

#[test]
fn a_nul_byte_hides_no_script_from_a_reviewer() {
    let functions = "change() {
        [ -f bye.sh ] && return
        printf 'echo bye\\n: EVIL\\n#\\000\\n' > bye.sh
        head -c 9000 /dev/urandom > picture
        echo 'test \"$(sh bye.sh)\" = bye' > tests/bye_test.sh
        echo '`bye.sh` says bye.' >> README.md
    }
    audit() {
        diff=$(printf '%s\\n' \"$prompt\" | grep -o '/[^ `]*/changes.diff' | head -n 1)
        grep -a -q '^+: EVIL' \"$diff\" && grep -q '^- picture$' \"$diff\" || exit 1
        review
        pass
    }";
    let scene = scene();
    scene.agents(functions);
    scene.run(&[]).assert_completed();
}

#[test]
fn what_is_secret_in_a_lent_file_is_not_committed_under_another_name() {
    for takes in [
        "cp .env conf.txt",
        "cat .env >> README.md",
        "git commit -q --allow-empty -m \"$(cat .env)\"",
    ] {
        let mut scene = scene();
        scene.workflow("carry: []", "carry: [.env]");
        std::fs::write(scene.project(".gitignore"), ".env\n").unwrap();
        scene.commit_all("ignore: settings");
        std::fs::write(scene.project(".env"), "PASSWORD=hunter2\n").unwrap();
        scene.agents(&format!(
            "develop() {{ change; {takes}; verify; commit 'bye: all'; claim; }}"
        ));
        let ran = scene.run(&[]);
        ran.assert_failed("gate_closed");
        assert!(
            ran.reasons().contains("contains a secret from .env"),
            "{takes}: {}",
            ran.reasons()
        );
        let printed = format!("{:?}{}{}", ran.events, ran.called.stdout, ran.called.stderr);
        assert!(!printed.contains("hunter2"), "{takes}: {printed}");
        assert!(!scene.git(&["log", "-p", BRANCH]).contains("hunter2"), "{takes}");
    }
}
