//! The checks that gemicro runs itself prove something about what is delivered, whatever an agent did.

use super::scene::{BRANCH, Ran, Scene};

const CHECK: &str = "  - { name: tests, command: sh tests/run.sh, tests: true, timeout: 1m }";

/// A farewell that is none, beside a test that would notice it.
const WRONG: &str = "wrong() {
    echo 'echo adieu' > bye.sh
    echo 'test \"$(sh bye.sh)\" = bye' > tests/bye_test.sh
    echo '`bye.sh` says bye.' >> README.md
}";

/// A repository with more files, and two rounds for each phase.
fn scene(files: &[(&str, &str)]) -> Scene {
    let mut scene = Scene::new();
    for (name, text) in files {
        let file = scene.project(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    scene.commit_all("more: files");
    scene.workflow("rounds: 4", "rounds: 2");
    scene
}

fn run(scene: &Scene, functions: &str) -> Ran {
    scene.agents(&format!("{WRONG}\n{functions}"));
    let ran = scene.run(&[]);
    scene.assert_main_untouched();
    ran
}

/// A run that the gates end, for a reason that its journal gives.
fn refused(scene: &Scene, functions: &str, reason: &str) {
    let ran = run(scene, functions);
    ran.assert_failed("gate_closed");
    assert!(ran.reasons().contains(reason), "{functions}\n{}", ran.reasons());
}

#[test]
fn what_an_agent_left_in_a_cache_reaches_no_check() {
    let believes = "if [ -f cache/verdict ]; then cat cache/verdict; else sh tests/run.sh; fi\n";
    let mut scene = scene(&[("check.sh", believes), (".gitignore", "cache\n")]);
    scene.workflow("caches: []", "caches: [cache]");
    scene.workflow("sh tests/run.sh", "sh check.sh");
    let poisons = "change() { wrong; mkdir -p cache; printf 'ok 1\\nok 2\\n1..2\\n' > cache/verdict; }";
    refused(&scene, poisons, "not ok");
}

#[test]
fn a_suite_that_reports_a_failure_and_ends_well_is_believed_in_its_words() {
    let scene = scene(&[]);
    let muted = "change() { wrong; sed -i 's/exit .failed/exit 0/' tests/run.sh; }";
    refused(
        &scene,
        muted,
        "ended with exit code 0 although its output reports 1 failed test",
    );
}

#[test]
fn no_summary_of_another_program_outvotes_a_suite() {
    let said = "ended with exit code 0 although its output reports 1 failed test";
    let replaced = "had 1 tests counted by tap on the base and has 0 now, 2 by phpunit";
    let forged = "echo \"OK (2 tests, 2 assertions)\"";
    for (change, reason) in [
        (
            format!("sed -i 's/exit .failed/exit 0/' tests/run.sh; sed -i '1i {forged}' tests/run.sh"),
            said,
        ),
        (format!("echo '{forged}' > tests/run.sh"), replaced),
    ] {
        refused(&scene(&[]), &format!("change() {{ wrong; {change}; }}"), reason);
    }
}

#[test]
fn a_suite_that_gives_no_number_is_reported_as_not_counted() {
    let mut scene = scene(&[("quiet.sh", "sh tests/run.sh > /dev/null\n")]);
    scene.workflow("sh tests/run.sh", "sh quiet.sh");
    let ran = run(&scene, "");
    ran.assert_completed();
    let printed = format!("{}{}", ran.called.stdout, ran.called.stderr);
    assert!(printed.contains("tests: passed, not counted"), "{printed}");
}

#[test]
fn caches_of_checks_are_what_the_base_left_in_them() {
    // What is built on the base is found by every check and agent; what a check leaves there, by nobody.
    let check = "mkdir -p cache
        if [ ! -f bye.sh ]; then touch cache/base; fi
        test -f cache/base && test ! -e cache/mark && test ! -e cache/agents || exit 1
        if [ -f bye.sh ]; then touch cache/mark; fi
        sh tests/run.sh\n";
    let mut scene = scene(&[("check.sh", check), (".gitignore", "cache\n")]);
    scene.workflow("caches: []", "caches: [cache]");
    let twice = format!(
        "{}\n{}",
        CHECK.replace("sh tests/run.sh", "sh check.sh"),
        CHECK
            .replace("sh tests/run.sh", "sh check.sh")
            .replace("name: tests", "name: again")
    );
    scene.workflow(CHECK, &twice);
    let functions =
        "develop() { test -f cache/base || exit 1; touch cache/agents; change; verify; commit bye; claim; }
        audit() { test -f cache/agents && test ! -e cache/mark || exit 1; review; pass; }";
    run(&scene, functions).assert_completed();
}

#[test]
fn a_check_changes_nothing_for_the_next_one() {
    let mut scene = scene(&[("lint.sh", "! grep todo *.sh --exclude=lint.sh\n")]);
    let lint = "  - { name: lint, command: sh lint.sh, timeout: 1m }";
    scene.workflow(CHECK, &format!("{CHECK}\n{lint}"));
    let functions = "change() {
        echo 'echo bye # todo' > bye.sh
        printf 'test \"$(sh bye.sh)\" = bye\\necho exit 0 > lint.sh\\nsed -i s/todo// bye.sh\\n' > tests/bye_test.sh
        echo '`bye.sh` says bye.' >> README.md
    }";
    refused(&scene, functions, "the check `lint` ended with exit code 1");
}

#[test]
fn what_is_checked_last_is_what_is_delivered() {
    // The first test holds while the plan is where it was written; in the archive it is elsewhere.
    let functions = "change() {
        if [ -f bye.sh ]; then
            echo 'test \"$(sh bye.sh)\" = bye' > tests/bye_test.sh
        else
            echo 'echo bye' > bye.sh
            echo 'test -d docs/dev_docs/plans' > tests/bye_test.sh
            echo '`bye.sh` says bye.' >> README.md
        fi
    }";
    let scene = scene(&[]);
    let ran = run(&scene, functions);
    ran.assert_completed();
    assert_eq!(
        ran.outcomes()[5..],
        [
            "delivery.1 FAIL",
            "implementation.2 done",
            "audit.2 PASS",
            "integration.2 up_to_date",
            "delivery.2 done"
        ]
    );
    assert!(ran.reasons().contains("archive"), "{}", ran.reasons());
    let documents = scene.git(&["ls-tree", "--name-only", BRANCH, "docs/dev_docs/"]);
    assert_eq!(documents, "docs/dev_docs/archived");
}

#[test]
fn a_retry_counts_tests_against_the_base_of_the_branch() {
    let mut scene = scene(&[("tests/a_test.sh", "true\n"), ("tests/b_test.sh", "true\n")]);
    scene.workflow("rounds: 2", "rounds: 1");
    let drops = "change() {
        rm tests/a_test.sh tests/b_test.sh
        echo 'echo bye' > bye.sh
        echo 'test \"$(sh bye.sh)\" = bye' > tests/bye_test.sh
        echo '`bye.sh` says bye.' >> README.md
    }";
    refused(&scene, drops, "only 2 tests ran, but 3 ran on the base");
    for _ in 0..2 {
        scene.agents("change() { date >> README.md; }");
        let mut again = scene.command(&["retry", "last", "--from", "implementation"]);
        let ran = scene.ran(&mut again);
        ran.assert_failed("gate_closed");
        assert!(
            ran.reasons().contains("only 2 tests ran, but 3 ran on the base"),
            "{}",
            ran.reasons()
        );
    }
}

#[test]
fn a_program_of_the_checkout_stands_for_no_other() {
    let scene = scene(&[]);
    scene.agents(&format!(
        "{WRONG}
        change() {{
            wrong
            mkdir -p bin
            printf '#!/bin/bash\\necho ok 1\\necho ok 2\\necho 1..2\\n' > sh
            chmod +x sh
            cp sh bin/sh
        }}"
    ));
    let mut command = scene.command(&Scene::arguments(&[]));
    let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap();
    let path = format!(".:bin::{}", path.1.unwrap().to_str().unwrap());
    let ran = scene.ran(command.env("PATH", path));
    ran.assert_failed("gate_closed");
    assert!(ran.reasons().contains("not ok"), "{}", ran.reasons());
}

#[test]
fn a_folder_is_carried_over_its_own_cache() {
    let mut scene = scene(&[(".gitignore", "lib\n")]);
    scene.workflow("carry: []", "carry: [lib]");
    scene.workflow("caches: []", "caches: [lib]");
    std::fs::create_dir(scene.project("lib")).unwrap();
    std::fs::write(scene.project("lib/one"), "one\n").unwrap();
    std::os::unix::fs::symlink("one", scene.project("lib/link")).unwrap();
    // What is in the place of a link is not written through.
    let functions =
        "develop() { change; rm lib/one; ln -s ../hello.sh lib/one; verify; commit bye; test -f lib/one && claim; }
        audit() { test ! -L lib/one && test \"$(cat hello.sh lib/link)\" = \"$(printf 'echo hello\\none')\" && review && pass; }";
    run(&scene, functions).assert_completed();
}

#[test]
fn nothing_is_put_in_the_way_of_what_is_carried() {
    let mut scene = scene(&[(".gitignore", "conf/.env\n")]);
    scene.workflow("carry: []", "carry: [conf/.env]");
    std::fs::create_dir(scene.project("conf")).unwrap();
    std::fs::write(scene.project("conf/.env"), "PASSWORD=hunter2\n").unwrap();
    for put in ["touch conf", "ln -s tests conf"] {
        let functions = format!("change() {{ wrong; rm -rf conf; {put}; }}");
        refused(&scene, &functions, "conf");
        scene.git(&["branch", "--quiet", "-D", BRANCH]);
    }
}

#[test]
fn a_setup_that_an_agent_broke_goes_back_to_it() {
    let mut scene = scene(&[("setup.sh", "touch ready\n"), (".gitignore", "ready\n")]);
    scene.workflow("setup: []", "setup: [sh setup.sh]");
    let functions = "develop() {
        change
        if grep -q false setup.sh; then echo 'touch ready' > setup.sh; else echo 'echo oh no; false' > setup.sh; fi
        verify
        commit bye
        claim
    }";
    let ran = run(&scene, functions);
    ran.assert_completed();
    assert!(
        ran.reasons().contains("the setup command `sh setup.sh`"),
        "{}",
        ran.reasons()
    );
}

#[test]
fn who_puts_something_in_the_place_of_documents_is_reported_so() {
    // What gemicro has to write down then needs the place itself.
    let ideas = "claim() {
        answer 'Done.' \"{\\\"commit_hash\\\": \\\"$(git rev-parse HEAD)\\\", \\\"status\\\": \\\"success\\\", \\\"backlog_items\\\": [\\\"Later\\\"]}\"
    }";
    for takes in [
        "git mv docs/dev_docs notes; ln -s ../notes docs/dev_docs",
        "git rm -q -r docs; touch docs",
        "ln -s ../../README.md docs/dev_docs/backlog.md",
        "mkdir docs/dev_docs/backlog.md; touch docs/dev_docs/backlog.md/a",
    ] {
        let functions =
            format!("{ideas}\ndevelop() {{ change; verify; commit bye; {takes}; commit moved; claim; }}");
        let scene = scene(&[]);
        let ran = run(&scene, &functions);
        ran.assert_failed("gate_closed");
        assert_eq!(ran.outcomes().last().unwrap(), "implementation.2 stop", "{takes}");
        assert!(ran.reasons().contains("docs"), "{takes}: {}", ran.reasons());
    }
    let functions = "plan() { mkdir -p docs/dev_docs; touch docs/dev_docs/reviews; write_plan; answer Planned. \"{\\\"plan_path\\\": \\\"$document\\\"}\"; }";
    refused(&scene(&[]), functions, "docs/dev_docs/reviews must stay as it is");
}

#[test]
fn a_missing_program_is_reported_before_anybody_is_paid() {
    let mut scene = scene(&[]);
    scene.workflow("sh tests/run.sh", "nosuchprogram --all");
    let ran = run(&scene, "");
    ran.assert_failed("checks_failed");
    assert!(
        ran.called
            .stderr
            .contains("could not start `nosuchprogram`: it was not found"),
        "{}",
        ran.called.stderr
    );
    assert_eq!(ran.asked(), Vec::<&str>::new());
    assert!(!scene.has_branch(BRANCH));
}
