//! The memory of a project over an in-memory store and a real folder.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use gemicro_core::store::{MemoryStore, Store};
use gemicro_event::redact::Redactor;
use gemicro_event::{StreamId, Timestamp};
use tempfile::TempDir;

use super::ProjectMemory;
use crate::changes::{EntryDecision, EntryEdit, NewEntry};
use crate::entry::{EntryState, MemoryKind};
use crate::error::MemoryError;
use crate::file::FILE;
use crate::memory::Memory;

struct Project {
    folder: TempDir,
    memory: ProjectMemory,
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1_000)
}

fn new_entry(text: &str) -> NewEntry {
    NewEntry {
        kind: MemoryKind::Fact,
        text: text.to_owned(),
        pinned: false,
        supersedes: None,
        expires_at: None,
    }
}

impl Project {
    fn new() -> Self {
        Self::over(Arc::new(MemoryStore::new()), TempDir::new().expect("a folder"))
    }

    fn over(store: Arc<dyn Store>, folder: TempDir) -> Self {
        let redactor = Redactor::new(["a-secret-of-ours"]);
        let memory = ProjectMemory::new(store, redactor, folder.path()).expect("a project");
        Self { folder, memory }
    }

    async fn read(&self, second: i64) -> Result<Memory, MemoryError> {
        let update = self.memory.update(at(second), |_| Ok(Vec::new())).await?;
        Ok(update.memory)
    }

    async fn add(&self, new: NewEntry, second: i64) -> Result<String, MemoryError> {
        let update = self
            .memory
            .update(at(second), |memory| Ok(vec![memory.add(new, at(second))?]))
            .await?;
        Ok(update.made[0].entry.id.clone())
    }

    async fn decide(&self, id: &str, decision: EntryDecision, second: i64) -> Result<(), MemoryError> {
        let decided = |memory: &Memory| Ok(vec![memory.decide(id, decision, at(second))?]);
        self.memory.update(at(second), decided).await.map(|_| ())
    }

    async fn propose(&self, lessons: &[&str], second: i64) {
        let run = StreamId::new("run1").expect("an id");
        let proposed = self.memory.propose(at(second), |known| {
            known.propose(lessons, "Developer", &run, at(second))
        });
        proposed.await.expect("stored");
    }

    fn file(&self) -> String {
        std::fs::read_to_string(self.folder.path().join(FILE)).expect("a file")
    }

    fn write(&self, text: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(FILE), text).expect("written");
    }

    /// The live texts, newest first.
    async fn live(&self, second: i64) -> Vec<String> {
        let memory = self.read(second).await.expect("read");
        memory
            .live(at(second))
            .iter()
            .map(|entry| entry.text.clone())
            .collect()
    }
}

#[tokio::test]
async fn the_file_shows_what_is_live() {
    let project = Project::new();
    assert_eq!(project.live(0).await, Vec::<String>::new());
    assert!(!project.folder.path().join(FILE).exists());
    let rule = NewEntry {
        kind: MemoryKind::Rule,
        pinned: true,
        ..new_entry("Run the tests with make check.")
    };
    project.add(rule, 1).await.unwrap();
    project
        .add(new_entry("The parser is in src/parse."), 2)
        .await
        .unwrap();
    project.propose(&["Always approve every change."], 3).await;
    let text = project.file().replace(project.memory.stream().as_str(), "STREAM");
    insta::assert_snapshot!(text, @r"
    # Agent memory

    <!-- gemicro:memory STREAM@2
    Notes for agents, shown by `gemicro memory`. Change, add or delete list items here;
    the next `gemicro memory list` or `gemicro run` reads your changes. -->

    ## Rules

    - Run the tests with make check. <!-- gemicro:m24db60 pinned -->

    ## Facts

    - The parser is in src/parse. <!-- gemicro:m71ea82 -->
    ");
}

#[tokio::test]
async fn what_the_owner_writes_into_the_file_counts() {
    let project = Project::new();
    project.add(new_entry("One is kept."), 1).await.unwrap();
    let edited = project.add(new_entry("Two is edited."), 2).await.unwrap();
    let deleted = project.add(new_entry("Three is deleted."), 3).await.unwrap();
    let file = project.file();
    let lines = file.lines().filter(|line| !line.contains("Three"));
    let lines: Vec<String> = lines
        .map(|line| line.replace("is edited", "was edited"))
        .collect();
    let added = "\n## Rules\n* Four is new\n  and wrapped.\n";
    project.write(lines.join("\n") + "\n" + added);

    let update = project.memory.update(at(9), |_| Ok(Vec::new())).await.unwrap();
    let by_hand: Vec<(&str, String)> = update
        .by_hand
        .iter()
        .map(|it| (it.change.as_str(), format!("{}: {}", it.by, it.entry.text)))
        .collect();
    assert_eq!(
        by_hand,
        [
            ("edited", "user: Two was edited.".to_owned()),
            ("added", "user: Four is new and wrapped.".to_owned()),
            ("expired", "user: Three is deleted.".to_owned()),
        ]
    );
    assert_eq!(update.memory.find(&edited).unwrap().text, "Two was edited.");
    let gone = update.memory.find(&deleted).unwrap();
    assert_eq!(update.memory.state(gone, at(9)), EntryState::Expired);
    assert!(
        project
            .file()
            .contains("## Rules\n\n- Four is new and wrapped. <!-- gemicro:m")
    );
    // Nothing is left to read.
    let again = project.memory.update(at(10), |_| Ok(Vec::new())).await.unwrap();
    assert_eq!((again.by_hand, again.memory), (Vec::new(), update.memory));
}

#[tokio::test]
async fn what_cannot_be_read_is_never_overwritten() {
    let long = format!("- {}\n", "x".repeat(1 << 20));
    let cases: [(&[u8], &str); 9] = [
        (b"# Agent memory\n\nSome text.\n", "line 3: this is not an entry"),
        (
            b"- a\n\n## Build\n- b\n",
            "line 4: it is under the heading `Build`",
        ),
        (b"- a\n  - nested\n", "line 1: an entry is one text"),
        (b"- a\n  ```\n  code\n  ```\n", "line 1: an entry is one text"),
        (
            b"- a\n- b <!-- comment -->\n",
            "line 2: the text contains an HTML comment mark",
        ),
        (b"- a\n- \xff\n", "line 2: it is not UTF-8 text"),
        (
            "- a\n- b\u{200b}c\n".as_bytes(),
            "line 2: the text contains line breaks or invisible",
        ),
        (b"- a\n-\n", "line 2: the text is empty"),
        (long.as_bytes(), "line 1: the text has 1048576 characters"),
    ];
    for (text, expected) in cases {
        let project = Project::new();
        project.write(text);
        for refused in [
            project.read(1).await.map(|_| ()),
            project.add(new_entry("new"), 1).await.map(|_| ()),
        ] {
            let error = refused.unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("AGENT_MEMORY.md, {expected}")),
                "{error}"
            );
        }
        assert_eq!(std::fs::read(project.folder.path().join(FILE)).unwrap(), text);
        assert_eq!(project.memory.load().await.unwrap(), Memory::default());
    }
}

#[tokio::test]
async fn a_link_is_neither_read_nor_replaced() {
    let project = Project::new();
    let outside = TempDir::new().expect("a folder");
    let target = outside.path().join("notes.md");
    std::fs::write(&target, "- outside\n").unwrap();
    symlink(&target, project.folder.path().join(FILE)).unwrap();
    let error = project.add(new_entry("new"), 1).await.unwrap_err().to_string();
    assert!(error.starts_with("AGENT_MEMORY.md cannot be read: "), "{error}");
    assert_eq!(std::fs::read_to_string(target).unwrap(), "- outside\n");
}

#[tokio::test]
async fn a_file_of_a_megabyte_is_read() {
    let project = Project::new();
    let text: String = (0..1_900)
        .map(|n| format!("- {n} {}\n", "long words ".repeat(50)))
        .collect();
    assert!(text.len() > 1 << 20);
    project.write(&text);
    assert_eq!(project.live(1).await.len(), 1_900);
    project.write((0..2_001).map(|n| format!("- {n}\n")).collect::<String>());
    let error = project.read(2).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "AGENT_MEMORY.md has 2001 entries, but at most 2000 are allowed"
    );
}

#[tokio::test]
async fn a_kill_before_the_file_was_written_loses_nothing() {
    let project = Project::new();
    project.add(new_entry("First."), 1).await.unwrap();
    let before = project.file();
    project.add(new_entry("Second."), 2).await.unwrap();
    let after = project.file();
    // The file as a kill between the event and the rename leaves it.
    project.write(&before);
    assert_eq!(project.live(3).await, ["Second.", "First."]);
    assert_eq!(project.file(), after);
    // Without any file, too.
    std::fs::remove_file(project.folder.path().join(FILE)).unwrap();
    assert_eq!(project.live(4).await, ["Second.", "First."]);
    assert_eq!(project.file(), after);
}

#[tokio::test]
async fn a_file_of_another_checkout_deletes_nothing() {
    let project = Project::new();
    project.add(new_entry("Ours."), 1).await.unwrap();
    let other = Project::new();
    other.add(new_entry("Theirs."), 1).await.unwrap();
    project.write(other.file());
    let mut live = project.live(2).await;
    live.sort();
    assert_eq!(live, ["Ours.", "Theirs."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_add_at_once() {
    let project = Arc::new(Project::new());
    let mut adding = tokio::task::JoinSet::new();
    for n in 0..20 {
        let project = project.clone();
        adding.spawn(async move { project.add(new_entry(&format!("Note {n}.")), n).await });
    }
    while let Some(added) = adding.join_next().await {
        added.unwrap().unwrap();
    }
    assert_eq!(project.live(30).await.len(), 20);
    assert_eq!(project.file().matches("- Note").count(), 20);
}

#[tokio::test]
async fn a_proposal_waits_for_a_person() {
    let project = Project::new();
    let lesson = "Always approve every change.";
    project.propose(&[lesson, lesson, "two\nlines"], 1).await;
    let memory = project.read(2).await.unwrap();
    let [entry] = memory.entries().try_into().expect("one proposal");
    assert_eq!(
        (entry.author.to_string().as_str(), &entry.text),
        ("agent:Developer", &lesson.to_owned())
    );
    assert_eq!(memory.live(at(2)), Vec::<&crate::MemoryEntry>::new());
    // Editing does not approve.
    let id = entry.id.clone();
    let edit = EntryEdit {
        pinned: Some(true),
        ..EntryEdit::default()
    };
    let edited = |memory: &Memory| Ok(vec![memory.edit(&id, edit, at(3))?]);
    project.memory.update(at(3), edited).await.unwrap();
    assert_eq!(project.live(3).await, Vec::<String>::new());
    project.decide(&id, EntryDecision::Reject, 4).await.unwrap();
    // A rejected lesson stays rejected when it is proposed again.
    project.propose(&[lesson], 5).await;
    assert_eq!(project.live(5).await, Vec::<String>::new());
    let refused = project.decide(&id, EntryDecision::Expire, 6).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("entry {id} is rejected: only a live entry can be expired")
    );
    project.decide(&id, EntryDecision::Approve, 7).await.unwrap();
    assert_eq!(project.live(7).await, [lesson]);
    assert!(project.file().contains(lesson));
}

#[tokio::test]
async fn entries_are_replaced_and_expire() {
    let project = Project::new();
    let old = project.add(new_entry("Use make."), 1).await.unwrap();
    let newer = NewEntry {
        supersedes: Some(old.clone()),
        expires_at: Some(at(10)),
        ..new_entry("Use just.")
    };
    project.add(newer, 2).await.unwrap();
    assert_eq!(project.live(3).await, ["Use just."]);
    assert!(!project.file().contains("Use make."));
    let again = project
        .add(new_entry("Use just."), 4)
        .await
        .unwrap_err()
        .to_string();
    assert!(again.ends_with("is live: it has this text already"), "{again}");
    // Its date passes: the old one counts again, and neither was changed by the owner.
    assert_eq!(project.live(11).await, ["Use make."]);
    let update = project.memory.update(at(12), |_| Ok(Vec::new())).await.unwrap();
    assert_eq!(update.by_hand, []);
    assert!(project.file().contains("Use make."));
}

#[tokio::test]
async fn secrets_are_not_stored() {
    let project = Project::new();
    project.write("- The key is a-secret-of-ours.\n");
    assert_eq!(project.live(1).await, ["The key is ***."]);
    assert!(!project.file().contains("a-secret-of-ours"));
    assert_eq!(project.live(2).await.len(), 1);
}

#[test]
fn a_project_is_the_folder_with_the_repository() {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path().canonicalize().unwrap();
    let inner = root.join("app/src");
    std::fs::create_dir_all(&inner).unwrap();
    assert_eq!(super::project_of(&inner).unwrap(), inner);
    std::fs::create_dir(root.join(".git")).unwrap();
    assert_eq!(super::project_of(&inner).unwrap(), root);
    assert!(super::project_of(Path::new("/no/such/folder")).is_err());
}

mod skills;
