//! What reviewers and gemicro see of a branch is what will be delivered, whatever the branch itself does about it.

use super::scene::Scene;

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
