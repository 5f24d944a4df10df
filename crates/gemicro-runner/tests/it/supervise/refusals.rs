//! What is refused before anything starts, and why.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use gemicro_event::ErrorKind;
use gemicro_guard::sandbox::Tier;
use gemicro_runner::supervise::VersionCache;
use gemicro_runner::{AgentPrompt, CliSandboxMode, GeminiHeadless, MAX_PROMPT_BYTES, locate};

use super::tiers::tiers;
use super::world::{DONE, HELLO, Run, Seen, World, failure, read};

#[tokio::test]
async fn refusals_are_typed_and_nothing_starts() {
    type Case = (&'static str, fn(&World), fn(&mut Run), ErrorKind, &'static str);
    let cases: &[Case] = &[
        (
            "missing",
            |world| std::fs::remove_file(world.path("user/tools/bin/gemini")).unwrap(),
            |_| {},
            ErrorKind::CommandNotFound,
            "npm install -g @google/gemini-cli",
        ),
        (
            "not executable",
            |world| {
                let path = world.path("user/tools/bin/gemini");
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
            },
            |_| {},
            ErrorKind::PermissionDenied,
            "is not executable",
        ),
        (
            "another machine's",
            |world| {
                let mut bytes = std::fs::read("/bin/true").unwrap();
                bytes[18] = 0xee;
                std::fs::write(world.path("user/tools/bin/gemini"), bytes).unwrap();
            },
            |_| {},
            ErrorKind::CommandNotFound,
            "another kind of machine",
        ),
        (
            "no program at all",
            |world| std::fs::write(world.path("user/tools/bin/gemini"), "hello").unwrap(),
            |_| {},
            ErrorKind::CommandNotFound,
            "neither a program nor a script",
        ),
        (
            "without its interpreter",
            |world| {
                std::fs::write(
                    world.path("user/tools/bin/gemini"),
                    "#!/usr/bin/env no-such-node\n",
                )
                .unwrap()
            },
            |_| {},
            ErrorKind::CommandNotFound,
            "no-such-node is not in the search path",
        ),
        (
            "no folder",
            |world| std::fs::remove_dir(world.path("wt")).unwrap(),
            |_| {},
            ErrorKind::InvalidInput,
            "there is no folder",
        ),
        (
            "a prompt without end",
            |_| {},
            |run| run.prompt = AgentPrompt::user("x".repeat(MAX_PROMPT_BYTES + 1)),
            ErrorKind::InvalidInput,
            "bytes",
        ),
        (
            "no sandbox",
            |_| {},
            |run| run.tier = Tier::None,
            ErrorKind::SandboxUnavailable,
            "no sandbox",
        ),
    ];
    for (name, prepare, change, kind, words) in cases {
        let world = World::new("touch began");
        prepare(&world);
        let mut run = Run::new(tiers()[0]);
        change(&mut run);
        let (outcome, seen) = world.run(run).await;
        let failure = failure(&outcome);
        assert_eq!(failure.kind, *kind, "{name}: {failure:?}");
        assert!(failure.message.contains(words), "{name}: {}", failure.message);
        assert!(outcome.record.handle.is_none() && seen.handle.is_none(), "{name}");
        assert!(!world.path("wt/began").exists());
    }
}

/// Walls that do not stand are told in their own words, and nothing runs.
#[tokio::test]
async fn a_sandbox_that_does_not_start_is_reported() {
    for tier in tiers() {
        let world = World::new("touch began");
        let mut run = Run::new(*tier);
        run.launcher.program = world.path("no-such-launcher");
        let (outcome, _) = world.run(run).await;
        let failure = failure(&outcome);
        assert_eq!(failure.kind, ErrorKind::SandboxUnavailable, "{tier}: {failure:?}");
        assert!(
            failure.message.contains("no-such-launcher"),
            "{tier}: {failure:?}"
        );
        assert!(!world.path("wt/began").exists());
    }
}

/// An interpreter that lies in the user's hidden home is opened with the script, and nothing else of it is.
#[tokio::test]
async fn an_interpreter_in_the_home_is_found() {
    for tier in tiers() {
        let world = World::new("unused");
        let interpreter = world.path("user/interpreter");
        std::fs::copy("/bin/bash", &interpreter).unwrap();
        let script = format!(
            "#!{}\nls {} > seen\n{HELLO}{DONE}",
            interpreter.display(),
            world.path("user").display()
        );
        world.install("gemini", &script);
        let (outcome, _) = world.run(Run::new(*tier)).await;
        assert_eq!(outcome.result.unwrap().text, "hello", "{tier}");
        assert!(!read(world.path("wt/seen")).contains(".ssh"), "{tier}");
    }
}

#[tokio::test]
async fn versions_are_asked_once() {
    let tier = tiers()[0];
    let script = format!(
        "if [ \"$1\" = --version ]; then echo $(cat \"$HOME/version\"); echo x >> $HOME/asked; exit; fi\n{HELLO}{DONE}"
    );
    let world = World::new(&script);
    std::fs::create_dir(world.path("home")).unwrap();
    let file = world.path("versions.json");
    let asked = || read(world.path("home/asked")).lines().count();
    let cli = GeminiHeadless;
    std::fs::write(world.path("home/version"), "0.99.0").unwrap();
    let run = async |versions: &VersionCache| {
        let (outcome, _) = world
            .run_with(&cli, Run::new(tier), Seen::default(), Some(versions))
            .await;
        outcome
    };
    let versions = VersionCache::in_file(file.clone());
    run(&versions).await.result.unwrap();
    run(&versions).await.result.unwrap();
    // Another process, and the file.
    run(&VersionCache::in_file(file.clone())).await.result.unwrap();
    assert_eq!(asked(), 1);
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Updated: asked again, and found too old.
    std::fs::write(world.path("home/version"), "0.1.0").unwrap();
    world.install("gemini", &format!("{script}\n# changed"));
    let outcome = run(&versions).await;
    assert_eq!(asked(), 2);
    assert_eq!(failure(&outcome).kind, ErrorKind::CommandNotFound);
    assert!(failure(&outcome).message.contains("0.1.0 is too old"));
    // A broken file is as good as none.
    std::fs::write(&file, "{").unwrap();
    run(&VersionCache::in_file(file)).await.result.unwrap_err();
}

/// The wrapper is found and started; what it starts is not there for it.
#[tokio::test]
async fn a_wrapper_whose_program_is_hidden_is_distinguished_from_one_that_says_nothing() {
    for tier in tiers() {
        for wrapper in ["exec TARGET \"$@\"", "TARGET \"$@\" 2> /dev/null; true"] {
            let world = World::new("unused");
            let target = world.path("user/elsewhere/gemini");
            std::fs::create_dir(target.parent().unwrap()).unwrap();
            std::fs::write(&target, "#!/bin/sh\necho 0.99.0\n").unwrap();
            std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o755)).unwrap();
            let target = target.display().to_string();
            world.install("gemini", &wrapper.replace("TARGET", &target));
            let versions = VersionCache::default();
            let (outcome, _) = world
                .run_with(&GeminiHeadless, Run::new(*tier), Seen::default(), Some(&versions))
                .await;
            let failure = failure(&outcome);
            assert_eq!(failure.kind, ErrorKind::CommandNotFound, "{tier}: {failure:?}");
            for part in [&target, "cannot be seen in the sandbox", "`readable`"] {
                assert!(failure.message.contains(part), "{tier}: {failure:?}");
            }
        }
        let world = World::new("true");
        let versions = VersionCache::default();
        let (outcome, _) = world
            .run_with(&GeminiHeadless, Run::new(*tier), Seen::default(), Some(&versions))
            .await;
        let message = &failure(&outcome).message;
        assert!(message.contains("printed no version"), "{tier}: {message}");
    }
}

/// As npm installs it below a home: a link to a script in a package, run by a node that lies elsewhere.
#[tokio::test]
async fn packages_of_node_are_found_and_opened() {
    for tier in tiers() {
        let world = World::bare();
        let prefix = world.path("user/.nvm/versions/node/v22");
        let package = prefix.join("lib/node_modules/@google/gemini-cli");
        std::fs::create_dir_all(package.join("bundle")).unwrap();
        std::fs::create_dir_all(prefix.join("bin")).unwrap();
        std::fs::create_dir_all(prefix.join("lib/node_modules/neighbour")).unwrap();
        std::fs::write(prefix.join("lib/node_modules/neighbour/data"), "neighbour").unwrap();
        let script = package.join("bundle/gemini.js");
        let body = format!("cat \"$(dirname $0)/../../../neighbour/data\" > neighbour\n{HELLO}{DONE}");
        std::fs::write(&script, format!("#!/usr/bin/env node\n{body}")).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        symlink(
            "../lib/node_modules/@google/gemini-cli/bundle/gemini.js",
            prefix.join("bin/gemini"),
        )
        .unwrap();
        // A stand-in for node, reached through a folder that is a link.
        std::fs::copy("/bin/bash", prefix.join("bin/node")).unwrap();
        symlink(&prefix, world.path("user/.nvm/current")).unwrap();
        let folder = world.path("user/.nvm/current/bin");
        let located = locate(Path::new("gemini"), &folder.to_string_lossy()).unwrap();
        assert_eq!(located.program, script);
        assert_eq!(
            located.readable,
            [prefix.join("lib/node_modules"), prefix.join("bin/node")]
        );
        assert_eq!(located.search, [prefix.join("bin")]);
        std::fs::remove_dir_all(world.path("user/tools")).unwrap();
        symlink(world.path("user/.nvm/current"), world.path("user/tools")).unwrap();
        let (outcome, _) = world.run(Run::new(*tier)).await;
        assert_eq!(outcome.result.unwrap().text, "hello", "{tier}");
        assert_eq!(read(world.path("wt/neighbour")), "neighbour");
    }
}

/// As Claude Code installs itself: a link named after the program, to a file named after its version; here by
/// way of a second link, and found through a folder that is a link too.
#[test]
fn programs_that_go_by_their_name_are_started_by_it() {
    let world = World::bare();
    let (bin, other) = (world.path("user/tools/bin"), world.path("user/other"));
    std::fs::create_dir(&other).unwrap();
    let file = world.path("user/2.1.197");
    std::fs::copy("/bin/true", &file).unwrap();
    symlink("../2.1.197", other.join("latest")).unwrap();
    symlink("../../other/latest", bin.join("claude")).unwrap();
    symlink(&bin, world.path("user/linked")).unwrap();
    let path = format!("relative:{}", world.path("user/linked").display());
    let located = locate(Path::new("claude"), &path).unwrap();
    assert_eq!(located.program, bin.join("claude"));
    assert_eq!(located.readable, [bin, other, file]);
    let system = locate(Path::new("true"), "/usr/bin:/bin").unwrap();
    assert!(system.readable.is_empty(), "{system:?}");
    for name in ["../true", "a/b", ""] {
        let failure = locate(Path::new(name), "/usr/bin").unwrap_err();
        assert_eq!(failure.kind, ErrorKind::CommandNotFound);
    }
}

/// A profile for another folder, or with other rights, than those of the request.
#[tokio::test]
async fn request_and_sandbox_must_agree() {
    let world = World::new("touch began");
    let run = Run::new(tiers()[0]);
    let mut request = world.request(&run, None);
    request.sandbox = CliSandboxMode::ReadOnly;
    let supervision = gemicro_runner::supervise::Supervision {
        cli: &GeminiHeadless,
        request: &request,
        located: None,
        profile: world.profile(&run, None),
        launcher: &super::tiers::launcher(),
        tier: run.tier,
        limits: run.limits,
        spool: world.spool(),
        redactor: gemicro_event::redact::Redactor::default(),
        cancel: run.cancel.clone(),
        gateway: None,
        versions: None,
        spares: None,
    };
    let outcome = gemicro_runner::supervise::supervise(supervision, &mut ()).await;
    assert_eq!(failure(&outcome).kind, ErrorKind::Internal);
    assert!(failure(&outcome).message.contains("mode"));
}
