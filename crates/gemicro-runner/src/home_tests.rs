//! Homes with planted links, and what is left after a turn.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use gemicro_event::ErrorKind;

use super::AgentHome;
use crate::invocation::SettingsFile;

fn file(home: &Path, name: &str) -> SettingsFile {
    SettingsFile {
        path: home.join(name),
        text: "ours".to_owned(),
    }
}

#[test]
fn files_are_written_for_the_user_alone() {
    let root = tempfile::tempdir().unwrap();
    let (home, temporary) = (root.path().join("a/home"), root.path().join("a/tmp"));
    std::fs::create_dir_all(&home).unwrap();
    let agent_home = AgentHome::open(&home, &temporary).unwrap();
    let files = [
        file(&home, ".gemini/deep/settings.json"),
        file(&home, "policy.toml"),
    ];
    agent_home.write(&files).unwrap();
    // A second turn finds the files and replaces them.
    agent_home.write(&files).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!(std::fs::read_to_string(&files[0].path).unwrap(), "ours");
    for (path, expected) in [
        (&files[0].path, 0o600),
        (&home, 0o700),
        (&home.join(".gemini/deep"), 0o700),
        (&temporary, 0o700),
    ] {
        assert_eq!(mode(path), expected, "{}", path.display());
    }
}

#[test]
fn planted_links_are_not_followed() {
    let root = tempfile::tempdir().unwrap();
    let (home, outside) = (root.path().join("home"), root.path().join("outside"));
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("settings.json"), "user").unwrap();
    let agent_home = AgentHome::open(&home, &root.path().join("tmp")).unwrap();
    symlink(&outside, home.join(".gemini")).unwrap();
    let through_folder = [file(&home, ".gemini/settings.json")];
    let failure = agent_home.write(&through_folder).unwrap_err();
    assert_eq!(failure.kind, ErrorKind::StorageError);
    assert!(agent_home.rest(&through_folder).is_err());
    // A link in the place of the file itself is replaced.
    symlink(outside.join("settings.json"), home.join("policy.toml")).unwrap();
    agent_home.write(&[file(&home, "policy.toml")]).unwrap();
    assert!(!home.join("policy.toml").is_symlink());
    assert_eq!(
        std::fs::read_to_string(outside.join("settings.json")).unwrap(),
        "user"
    );
    symlink(&outside, root.path().join("home-link")).unwrap();
    assert!(AgentHome::open(&root.path().join("home-link"), &outside).is_err());
    let failure = agent_home.write(&[file(root.path(), "outside/x")]).unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Internal);
}

#[test]
fn a_resting_home_keeps_sessions_alone() {
    let root = tempfile::tempdir().unwrap();
    let (home, temporary) = (root.path().join("home"), root.path().join("tmp"));
    let agent_home = AgentHome::open(&home, &temporary).unwrap();
    let files = [file(&home, ".gemini/settings.json"), file(&home, "never-written")];
    agent_home.write(&files[..1]).unwrap();
    std::fs::create_dir_all(home.join(".gemini/tmp/chats")).unwrap();
    std::fs::write(home.join(".gemini/tmp/chats/session.jsonl"), "{}").unwrap();
    std::fs::create_dir(temporary.join("folder")).unwrap();
    symlink("/etc/passwd", temporary.join("link")).unwrap();
    agent_home.rest(&files).unwrap();
    assert!(home.join(".gemini/tmp/chats/session.jsonl").exists());
    assert!(!files[0].path.exists() && std::fs::read_dir(&temporary).unwrap().next().is_none());
    assert!(Path::new("/etc/passwd").exists());
    agent_home.remove().unwrap();
    assert!(!home.exists());
}
