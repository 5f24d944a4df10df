//! Remotes of the user: where the main branch comes from.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use gemicro_event::ErrorKind;
use gemicro_guard::repository::{
    CommitId, MainBranch, MainBranchFrom, RemoteError, RepositoryError, Slug, Tripwire, TrustedRepo,
};

use crate::world::{World, read};

/// A world whose repository has the remote `origin`, and where somebody else works too.
pub(crate) fn with_origin() -> World {
    let world = World::new();
    world.shell(
        "git clone -q --bare repo origin.git; git -C repo remote add origin ../origin.git; git -C repo fetch -q origin
        rm -f repo/.git/FETCH_HEAD; git clone -q origin.git other",
    );
    world
}

pub(crate) fn slug() -> Slug {
    "x/work".parse().unwrap()
}

pub(crate) fn remote_error(error: RepositoryError) -> RemoteError {
    match error {
        RepositoryError::Remote(error) => error,
        other => panic!("{other}"),
    }
}

fn main_error(repository: &TrustedRepo, remote: Option<&str>) -> RemoteError {
    remote_error(repository.main_branch(remote).unwrap_err())
}

/// Everything of the repository that git keeps about references.
pub(crate) fn references(world: &World) -> String {
    world.shell("cd repo; git for-each-ref | grep -v refs/gemicro/main/; cat .git/HEAD .git/config; ls .git")
}

#[test]
fn main_is_what_the_remote_says_now() {
    let world = with_origin();
    world.shell(
        "cd other; echo four >> a.txt; git commit -qam four; git tag v4; git push -q --tags origin main; git switch -qc noise; git push -q origin noise
        cd ../repo; git config fetch.prune true; git config remote.origin.tagOpt --tags; git config remote.origin.mirror true
        for hook in reference-transaction post-checkout; do printf '#!/bin/sh\\ntouch %s\\nexit 1\\n' $PWD/../HOOK > .git/hooks/$hook; chmod +x .git/hooks/$hook; done",
    );
    let repository = world.open();
    let before = (references(&world), Tripwire::take(&repository, &slug()).unwrap());
    let expected = |rev: &str| MainBranch {
        name: "main".to_owned(),
        commit: CommitId::parse(&world.shell(&format!("git -C other rev-parse {rev}"))).unwrap(),
        from: MainBranchFrom::Remote("origin".to_owned()),
    };
    assert_eq!(repository.main_branch(None).unwrap(), expected("main"));
    let after = (references(&world), Tripwire::take(&repository, &slug()).unwrap());
    assert_eq!(before.0, after.0);
    assert_eq!(before.1.compare(&after.1), []);
    assert!(!world.path("HOOK").exists() && !world.path("repo/.git/FETCH_HEAD").exists());
    // It moved on, and then its history was rewritten.
    world.shell("cd other; git switch -q main; git commit -q --allow-empty -m five; git push -q origin main");
    assert_eq!(repository.main_branch(None).unwrap(), expected("main"));
    world.shell(
        "cd other; git reset -q --hard v1; git commit -q --allow-empty -m six; git push -qf origin main",
    );
    assert_eq!(repository.main_branch(Some("origin")).unwrap(), expected("main"));
    assert_eq!(references(&world), before.0);
    assert_eq!(
        world.shell("git -C repo rev-parse refs/gemicro/main/origin"),
        expected("main").commit.as_str()
    );
}

#[test]
fn the_default_branch_may_have_any_name() {
    for name in ["trunk/ü#1@x", "a=b,c", "master", "$(touch HACKED)"] {
        let world = with_origin();
        let name = name.replace(' ', "${IFS}");
        world.shell(&format!(
            "cd origin.git; git branch -m main '{name}'; git symbolic-ref HEAD 'refs/heads/{name}'"
        ));
        let repository = world.open();
        let found = repository.main_branch(None).unwrap();
        assert_eq!((found.name, &found.commit), (name, repository.head()));
        assert!(!world.path("HACKED").exists() && !world.path("repo/.git/HACKED").exists());
    }
    // Without a HEAD that leads to a branch, a usual name is taken.
    let world = with_origin();
    world.shell("cd origin.git; git branch master v1; git update-ref --no-deref HEAD v2^{commit}");
    assert_eq!(world.open().main_branch(None).unwrap().name, "main");
    world.shell("cd origin.git; git update-ref -d refs/heads/main; git branch -m other elsewhere");
    assert_eq!(world.open().main_branch(None).unwrap().name, "master");
    world.shell("cd origin.git; git update-ref -d refs/heads/master");
    let error = main_error(&world.open(), None);
    assert!(matches!(error, RemoteError::NoDefaultBranch { .. }), "{error}");
    world.shell("rm -rf origin.git; git init -q --bare origin.git");
    let error = main_error(&world.open(), None);
    assert!(matches!(error, RemoteError::NoDefaultBranch { .. }), "{error}");
}

/// Two runs that ask at the same time.
#[test]
fn a_reference_that_is_held_for_a_moment_is_waited_for() {
    let world = with_origin();
    world.shell(
        "mkdir fake; printf '#!/bin/sh\ncase \"$*\" in *fetch*) if mkdir %s/held; then echo \"error: cannot lock ref x\" >&2; exit 1; fi;; esac
        exec /usr/bin/git \"$@\"\n' $PWD > fake/git; chmod +x fake/git",
    );
    let mut settings = world.settings();
    settings.search_path = format!("{}:/usr/bin:/bin", world.path("fake").display()).into();
    let repository = TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    assert_eq!(&repository.main_branch(None).unwrap().commit, repository.head());
    assert!(world.path("held").exists());
    // For good: it is told as what it is.
    world.shell("printf '#!/bin/sh\ncase \"$*\" in *fetch*) echo \"error: cannot lock ref x\" >&2; exit 1;; esac\nexec /usr/bin/git \"$@\"\n' > fake/git");
    let error = repository.main_branch(None).unwrap_err();
    assert!(matches!(error, RepositoryError::Git { .. }), "{error}");
}

#[test]
fn a_remote_is_chosen_by_its_name() {
    let world = with_origin();
    world.shell("git -C repo remote rename origin upstream");
    let repository = world.open();
    let from = repository.main_branch(None).unwrap().from;
    assert_eq!(from, MainBranchFrom::Remote("upstream".to_owned()));
    world.shell(
        "cd repo; git remote add second https://u:hunter2hunter2@127.0.0.1:1/x.git
        git remote set-url --push second https://u:hunter2-to-push@127.0.0.1:1/x.git",
    );
    let remotes = repository.remotes().unwrap();
    let shown: Vec<(&str, &str)> = remotes
        .iter()
        .map(|remote| (remote.name.as_str(), remote.url.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("upstream", "../origin.git"),
            ("second", "https://127.0.0.1:1/x.git")
        ]
    );
    assert!(!format!("{remotes:?}").contains("hunter2"), "{remotes:?}");
    let error = main_error(&repository, None);
    let expected = RemoteError::Several {
        remotes: vec!["upstream".to_owned(), "second".to_owned()],
    };
    assert_eq!(error, expected);
    repository.main_branch(Some("upstream")).unwrap();
    for name in [
        "missing",
        "",
        "../origin.git",
        "--upload-pack=touch HACKED",
        "ext::touch% HACKED",
    ] {
        let error = main_error(&repository, Some(name));
        assert!(matches!(error, RemoteError::Unknown { .. }), "{name}: {error}");
        let error = remote_error(repository.push(name, &slug(), repository.head()).unwrap_err());
        assert!(matches!(error, RemoteError::Unknown { .. }), "{name}: {error}");
    }
    // Written into the settings by hand.
    for name in ["a:b", "-x", "a*", "a b", "--upload-pack=x"] {
        world.shell(&format!("git -C repo config 'remote.{name}.url' ../origin.git"));
        let error = main_error(&repository, Some(name));
        assert!(matches!(error, RemoteError::BadName { .. }), "{name}: {error}");
    }
    assert!(!world.path("HACKED").exists() && !world.path("repo/.git/HACKED").exists());
}

#[test]
fn without_a_remote_main_is_local() {
    let world = World::new();
    world.shell("cd repo; git branch master v1; git branch trunk v2; git symbolic-ref refs/heads/alias refs/heads/trunk");
    let repository = world.open();
    assert_eq!(repository.remotes().unwrap(), []);
    let name = || {
        let found = repository.main_branch(None).unwrap();
        assert_eq!(found.from, MainBranchFrom::Local);
        assert_eq!(found, repository.local_main_branch().unwrap());
        assert_eq!(found.commit, repository.resolve(&found.name).unwrap());
        found.name
    };
    assert_eq!(name(), "main");
    for (set, expected) in [
        ("trunk", "trunk"),
        ("alias", "alias"),
        ("missing", "main"),
        ("*", "main"),
        ("main~1", "main"),
    ] {
        world.shell(&format!("git -C repo config init.defaultBranch '{set}'"));
        assert_eq!(name(), expected);
    }
    world.shell("cd repo; git config --unset init.defaultBranch; git branch -m main mine");
    assert_eq!(name(), "master");
    world.shell("cd repo; git branch -qD master");
    assert_eq!(name(), "mine");
    world.shell("cd repo; git checkout -q --detach");
    let error = repository.main_branch(None).unwrap_err();
    assert!(matches!(error, RepositoryError::NoMainBranch), "{error}");
    assert!(error.to_string().contains("init.defaultBranch"), "{error}");
}

#[test]
fn a_remote_that_does_not_answer_is_an_error_of_its_own() {
    let world = World::new();
    // A port that nobody listens on any more.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for url in [
        "../nowhere.git".to_owned(),
        format!("http://user:hunter2hunter2@127.0.0.1:{port}/x.git"),
        "file:///nowhere/x.git".to_owned(),
    ] {
        world.shell(&format!(
            "cd repo; git remote remove origin 2>/dev/null || true; git remote add origin '{url}'"
        ));
        let repository = world.open();
        let pushed = repository.push("origin", &slug(), repository.head()).unwrap_err();
        for error in [repository.main_branch(None).unwrap_err(), pushed] {
            assert_eq!(ErrorKind::from(&error), ErrorKind::UpstreamError, "{error}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
            let error = remote_error(error);
            assert!(matches!(error, RemoteError::Unreachable { .. }), "{url}: {error}");
        }
    }
}

/// A server that wants a password, and a user who is not asked for one.
#[test]
fn no_one_is_asked_for_a_password() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    let world = World::new();
    for user in ["", "token-token-token@", "user:hunter2hunter2@"] {
        world.shell(&format!(
            "cd repo; git remote remove origin 2>/dev/null || true; git remote add origin http://{user}127.0.0.1:{port}/x.git
            git config --global core.askPass \"touch $HOME/ASKED; echo\""
        ));
        let error = world.open().main_branch(None).unwrap_err();
        assert_eq!(ErrorKind::from(&error), ErrorKind::PermissionDenied, "{error}");
        let text = error.to_string();
        assert!(
            !text.contains("hunter2") && !text.contains("token-token"),
            "{text}"
        );
        assert!(
            matches!(remote_error(error), RemoteError::Denied { .. }),
            "{text}"
        );
    }
    assert!(!world.path("user/ASKED").exists());
}

/// The user's own ssh, agent and proxies lead to a remote, and nothing else of the environment does.
#[test]
fn the_way_to_a_remote_is_the_users_own() {
    let world = World::new();
    world.shell(
        "git -C repo remote add origin git@example.invalid:x.git; mkdir fake
        printf '#!/bin/sh\\nenv > %s/env; echo \"$*\" > %s/arguments\\necho denied >&2; exit 255\\n' $PWD $PWD > fake/ssh; chmod +x fake/ssh
        cp fake/ssh fake/tunnel",
    );
    let mut settings = world.settings();
    settings.search_path = format!("{}:/usr/bin:/bin", world.path("fake").display()).into();
    settings.remote_variables = [
        ("SSH_AUTH_SOCK", "/agent"),
        ("https_proxy", "http://proxy"),
        ("GIT_DIR", "/elsewhere"),
        ("SSH_ASKPASS", "/bin/asks"),
        ("LD_PRELOAD", "/evil.so"),
    ]
    .map(|(name, value)| (name.to_owned(), value.into()))
    .to_vec();
    let repository = TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    let error = main_error(&repository, None);
    assert!(matches!(error, RemoteError::Unreachable { .. }), "{error}");
    let environment = read(&world.path("env"));
    let has = |line: &str| environment.lines().any(|found| found == line);
    for line in [
        "SSH_AUTH_SOCK=/agent",
        "https_proxy=http://proxy",
        "GIT_ASKPASS=",
        "GIT_TERMINAL_PROMPT=0",
    ] {
        assert!(has(line), "{line}: {environment}");
    }
    for name in ["SSH_ASKPASS=", "LD_PRELOAD=", "GIT_DIR=/elsewhere"] {
        assert!(!environment.contains(name), "{name}: {environment}");
    }
    let arguments = || read(&world.path("arguments"));
    assert!(arguments().contains("-oBatchMode=yes"), "{}", arguments());
    world.shell("git config --global core.sshCommand 'ssh -i /my/key'");
    main_error(&repository, None);
    assert!(
        arguments().contains("-i /my/key -oBatchMode=yes"),
        "{}",
        arguments()
    );
    // Another program is the user's affair.
    world.shell("git config --global core.sshCommand tunnel");
    main_error(&repository, None);
    assert!(!arguments().contains("BatchMode"), "{}", arguments());
    // Nothing of it reaches a command that stays here.
    world.shell(
        "printf '#!/bin/sh\\nenv > %s/env\\nexec /usr/bin/git \"$@\"\\n' $PWD > fake/git; chmod +x fake/git",
    );
    let repository = TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    repository.remotes().unwrap();
    assert!(!read(&world.path("env")).contains("SSH_AUTH_SOCK"));

    world.shell("rm fake/git; printf '#!/bin/sh\\nsleep 86397 & sleep 86397\\n' > fake/tunnel");
    settings.remote_time_limit = Duration::from_millis(300);
    let repository = TrustedRepo::open(&settings, &world.path("repo")).unwrap();
    let error = repository.main_branch(None).unwrap_err();
    assert!(matches!(error, RepositoryError::GitTimeout { .. }), "{error}");
}
