//! What a conversation has in its folder, and what is left of it after a turn.

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use gemicro_core::ask::SandboxMode;

use super::*;

fn task() -> AgentTask {
    AgentTask {
        retold: None,
        asks: false,
        begins_anew: false,
        agent: AgentName::Codex,
        model: None,
        prompt: "Do it".to_owned(),
        directory: "/project".to_owned(),
        sandbox: SandboxMode::ReadOnly,
        yolo: false,
        session: None,
        idle_ms: 1,
        total_ms: 1,
        grant: gemicro_core::ask::TaskGrant::default(),
        recalls: None,
        fails_over: false,
        keep_messages: false,
        branch: None,
    }
}

fn session(name: &str) -> SessionId {
    name.parse().expect("a name")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("read").flatten();
    let names = entries.map(|entry| entry.file_name().into_string().expect("plain"));
    names.collect()
}

#[tokio::test]
async fn a_session_is_found_again_and_no_one_else_reads_it() {
    let state = tempfile::tempdir().expect("a folder");
    let (one, run) = (session("one"), StreamId::random());
    let mut place = ConversationHome::new(state.path(), "first-1", None).expect("made");
    assert!(name_of(state.path(), AgentName::Codex, &one).is_err());
    place.remember(&task(), &one, &run, false).expect("remembered");
    // The same once more: a second turn of the conversation.
    let next = StreamId::random();
    place.remember(&task(), &one, &next, false).expect("remembered");
    let folder = place.folder();
    drop(place);
    let found =
        ConversationHome::of_session(state.path(), "second-1", AgentName::Codex, &one).expect("found");
    assert_eq!(found.folder(), folder);
    let turns = found.about().map(|about| about.turns.clone());
    assert_eq!(turns, Some(vec![run, next]));
    let sessions = state.path().join("agents/sessions/codex");
    for path in [folder.join("about.json"), sessions.join("one")] {
        let mode = path.metadata().expect("there").mode();
        assert_eq!(mode & 0o7777, 0o600, "{}", path.display());
    }
    assert_eq!(names(&folder), BTreeSet::from(["about.json".to_owned()]));
}

#[tokio::test]
async fn the_name_of_another_session_is_not_taken() {
    let state = tempfile::tempdir().expect("a folder");
    let one = session("one");
    let mut first = ConversationHome::new(state.path(), "first-1", None).expect("made");
    first
        .remember(&task(), &one, &StreamId::random(), false)
        .expect("remembered");
    let mut second = ConversationHome::new(state.path(), "second-1", None).expect("made");
    let refused = second.remember(&task(), &one, &StreamId::random(), false);
    assert_eq!(refused.expect_err("refused").kind, ErrorKind::Conflict);
    assert_eq!(
        name_of(state.path(), AgentName::Codex, &one).expect("found"),
        "first-1"
    );
}

#[test]
fn temporary_files_go_and_their_folder_stays() {
    let state = tempfile::tempdir().expect("a folder");
    let place = ConversationHome::new(state.path(), "first-1", None).expect("made");
    let shells = Profile::shells_in(&place.home());
    for folder in [shells.join("one/home"), place.temporary().join("deep")] {
        make_folder(&folder).expect("made");
        fs::write(folder.join("file"), "").expect("written");
        fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).expect("shut");
    }
    place.tidy(true);
    assert!(names(&shells).is_empty());
    let left = BTreeSet::from(["home", "tmp"].map(str::to_owned));
    assert_eq!(names(&place.folder()), left);
    assert!(names(&place.temporary()).is_empty());
    // A conversation that never began leaves nothing.
    place.tidy(false);
    assert!(!place.folder().exists());
}
