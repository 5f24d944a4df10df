//! Homes with planted links, and what is left after a turn.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use gemicro_event::ErrorKind;

use super::{AgentHome, empty_folder};
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
    let number = |path: &Path| std::fs::metadata(path).unwrap().ino();
    let first = number(&files[0].path);
    // A second turn finds the files and replaces them whole: whoever has the old ones open keeps them.
    let old = std::fs::File::open(&files[0].path).unwrap();
    agent_home.write(&files).unwrap();
    assert_eq!(old.metadata().unwrap().ino(), first);
    assert_ne!(number(&files[0].path), first);
    let names = |folder: &str| std::fs::read_dir(home.join(folder)).unwrap().count();
    assert_eq!(
        (names(".gemini/deep"), names("")),
        (1, 2),
        "nothing unfinished is left"
    );
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
fn a_home_that_others_could_read_is_closed() {
    let root = tempfile::tempdir().unwrap();
    let (home, temporary) = (root.path().join("home"), root.path().join("tmp"));
    for _first_and_later in 0..2 {
        AgentHome::open(&home, &temporary).unwrap();
        for folder in [&home, &temporary] {
            let mode = std::fs::metadata(folder).unwrap().mode();
            assert_eq!(mode & 0o7777, 0o700, "{}", folder.display());
            std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
        }
    }
}

#[test]
fn a_folder_is_emptied_but_not_what_a_link_leads_to() {
    let root = tempfile::tempdir().unwrap();
    let (folder, outside) = (root.path().join("tmp"), root.path().join("outside"));
    std::fs::create_dir_all(folder.join("deep/er")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "user").unwrap();
    std::fs::write(folder.join("deep/er/file"), "").unwrap();
    symlink(&outside, folder.join("link")).unwrap();
    let number = std::fs::metadata(&folder).unwrap().ino();
    empty_folder(&folder).unwrap();
    assert_eq!(std::fs::metadata(&folder).unwrap().ino(), number);
    assert!(std::fs::read_dir(&folder).unwrap().next().is_none());
    // A link in the place of the folder itself.
    std::fs::remove_dir(&folder).unwrap();
    symlink(&outside, &folder).unwrap();
    empty_folder(&folder).unwrap();
    assert!(folder.symlink_metadata().is_err());
    assert_eq!(std::fs::read_to_string(outside.join("file")).unwrap(), "user");
    let error = empty_folder(&folder).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
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
