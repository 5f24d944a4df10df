//! The files of a project, read from outside.

use std::os::unix::fs::symlink;

use gemicro_batch::project::Project;
use gemicro_event::ErrorKind;

/// A project with everything in it that a file can be.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        world.write("outside.txt", "secret");
        world.write("project/a.txt", "hello\n");
        world.write("project/src/b.rs", "fn b() {}\n");
        world
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn link(&self, to: &str, path: &str) {
        symlink(to, self.folder.path().join(path)).unwrap();
    }

    fn project(&self) -> Project {
        Project::open(&self.folder.path().join("project")).unwrap()
    }
}

#[test]
fn nothing_outside_is_read() {
    let world = World::new();
    world.link("../outside.txt", "project/out");
    world.link("..", "project/up");
    world.link("src", "project/inside");
    world.link("nowhere", "project/dangling");
    world.link("round", "project/round");
    let whole = "x".repeat(2 << 20);
    world.write("project/largest.txt", &whole);
    world.write("project/large.txt", format!("{whole}y"));
    world.write("project/odd.txt", b"a\xffb");
    let fifo = world.folder.path().join("project/fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let project = world.project();
    let check = |path: &str, expected: Result<Option<&str>, (ErrorKind, &str)>| {
        let read = project
            .read(path)
            .map_err(|failure| (failure.kind, failure.message));
        let expected = expected.map(|text| text.map(str::to_owned));
        let root = project.root().display().to_string();
        let expected = expected.map_err(|(kind, message)| (kind, message.replace("ROOT", &root)));
        assert!(read == expected, "{path}");
    };
    use ErrorKind::{InvalidInput, PermissionDenied};
    check("a.txt", Ok(Some("hello\n")));
    check("./src/b.rs", Ok(Some("fn b() {}\n")));
    check("inside/b.rs", Ok(Some("fn b() {}\n")));
    check("odd.txt", Ok(Some("a\u{fffd}b")));
    check("largest.txt", Ok(Some(&whole)));
    check("none.txt", Ok(None));
    check("none/none.txt", Ok(None));
    check("dangling", Ok(None));
    for path in [
        "",
        "../outside.txt",
        "src/../../outside.txt",
        "src/../a.txt",
        "/etc/passwd",
        "out",
        "up/outside.txt",
    ] {
        let message = format!("{path} leads out of the project ROOT");
        check(path, Err((PermissionDenied, &message)));
    }
    for path in ["src", ".", "fifo"] {
        check(path, Err((InvalidInput, &format!("{path} is not a file"))));
    }
    check("large.txt", Err((InvalidInput, "large.txt has more than 2 MiB")));
    for path in ["a.txt/x", "round", "a\0b"] {
        assert_eq!(project.read(path).unwrap_err().kind, PermissionDenied, "{path:?}");
    }
}

#[test]
fn a_walk_sees_the_projects_own_files_only() {
    let world = World::new();
    for path in [
        "target/debug/x.rs",
        "build/x.c",
        "src/out/x.c",
        "vendor/x.rs",
        "third_party/lib/x.c",
        "node_modules/x/index.js",
        ".git/config",
        ".github/ci.yml",
    ] {
        world.write(&format!("project/{path}"), "x");
    }
    world.write("project/.hidden", "x");
    world.write("project/src/target.rs", "x");
    world.link("../outside.txt", "project/out.txt");
    world.link("a.txt", "project/again.txt");
    world.link("src", "project/linked");
    world.link("..", "project/src/up");
    assert_eq!(
        world.project().files(),
        [".hidden", "a.txt", "src/b.rs", "src/target.rs"]
    );
}

#[test]
fn a_folder_must_be_there() {
    let world = World::new();
    for path in ["none", "outside.txt"] {
        let folder = world.folder.path().join(path);
        let failure = Project::open(&folder).unwrap_err();
        let message = format!("there is no folder {}", folder.display());
        assert_eq!((failure.kind, failure.message), (ErrorKind::NotFound, message));
    }
    world.link("project", "linked");
    let linked = Project::open(&world.folder.path().join("linked")).unwrap();
    assert_eq!(linked.root(), world.project().root());
}
