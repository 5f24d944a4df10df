//! Skills of a project, and their files.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use gemicro_event::StreamId;
use tempfile::TempDir;

use super::{Project, at, new_entry};
use crate::changes::EntryDecision;
use crate::entry::EntryState;
use crate::file::FILE;
use crate::memory::Memory;
use crate::skill::NewSkill;
use crate::skill_changes::SkillEdit;

fn new_skill(name: &str, body: &str) -> NewSkill {
    NewSkill {
        name: name.to_owned(),
        description: "Resolves \"both sides\" conflicts of the change log.".to_owned(),
        body: body.to_owned(),
    }
}

impl Project {
    async fn propose_skill(&self, skill: &NewSkill, second: i64) {
        let run = StreamId::new("run1").expect("an id");
        let proposed = self.memory.propose(at(second), |known| {
            Vec::from_iter(known.propose_skill(skill, "Developer", &run, at(second)))
        });
        proposed.await.expect("stored");
    }

    async fn decide_skill(&self, name: &str, decision: EntryDecision, second: i64) -> Vec<String> {
        let decided = |memory: &Memory| Ok(vec![memory.decide_skill(name, decision, at(second))?]);
        let update = self.memory.update_skills(at(second), decided).await;
        update.expect("decided").notes
    }

    async fn edit_skill(&self, name: &str, body: &str, second: i64) -> Vec<String> {
        let edit = SkillEdit {
            body: Some(body.to_owned()),
            description: None,
        };
        let edited = |memory: &Memory| Ok(vec![memory.edit_skill(name, edit, at(second))?]);
        let update = self.memory.update_skills(at(second), edited).await;
        update.expect("edited").notes
    }

    fn skill_path(&self, top: &str, name: &str) -> PathBuf {
        self.folder
            .path()
            .join(top)
            .join("skills")
            .join(name)
            .join("SKILL.md")
    }

    fn skill_files(&self, name: &str) -> Vec<Option<String>> {
        let read = |top| std::fs::read_to_string(self.skill_path(top, name)).ok();
        [".agents", ".claude"].map(read).to_vec()
    }
}

#[tokio::test]
async fn a_skill_is_written_after_it_was_approved_and_deleted_when_it_is_removed() {
    let project = Project::new();
    project
        .propose_skill(
            &new_skill("change-log", "# Steps\n\nKeep both a-secret-of-ours.\n"),
            1,
        )
        .await;
    assert_eq!(project.skill_files("change-log"), [None, None]);
    // A skill is no note.
    assert_eq!(project.live(1).await, Vec::<String>::new());
    assert_eq!(
        project
            .decide_skill("change-log", EntryDecision::Approve, 2)
            .await,
        Vec::<String>::new()
    );
    let files = project.skill_files("change-log");
    assert_eq!(files[0], files[1]);
    insta::assert_snapshot!(files[0].as_deref().unwrap(), @r#"
    ---
    name: change-log
    description: "Resolves \"both sides\" conflicts of the change log."
    ---

    # Steps

    Keep both ***.
    "#);
    assert!(!project.folder.path().join(FILE).exists());
    let mode = std::fs::metadata(project.skill_path(".claude", "change-log"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0);
    // A note and its file do not disturb it.
    project.add(new_entry("Use make."), 3).await.unwrap();
    assert_eq!(project.live(4).await, ["Use make."]);
    assert!(!project.file().contains("change-log"));
    // An edit is a new version, and the old one stays.
    assert_eq!(
        project.edit_skill("change-log", "# New steps", 5).await,
        Vec::<String>::new()
    );
    assert!(
        project.skill_files("change-log")[1]
            .as_ref()
            .unwrap()
            .ends_with("# New steps\n")
    );
    let memory = project.memory.load().await.unwrap();
    let versions = memory.versions(memory.find_skill("change-log").unwrap());
    let bodies: Vec<&str> = versions
        .iter()
        .map(|it| it.skill.as_ref().unwrap().body.as_str())
        .collect();
    assert_eq!(bodies, ["# Steps\n\nKeep both ***.", "# New steps"]);
    assert_eq!(
        project.decide_skill("change-log", EntryDecision::Expire, 6).await,
        Vec::<String>::new()
    );
    assert_eq!(project.skill_files("change-log"), [None, None]);
    assert!(!project.folder.path().join(".agents/skills/change-log").exists());
}

#[tokio::test]
async fn a_skill_file_of_the_owner_is_kept() {
    let project = Project::new();
    project.propose_skill(&new_skill("fix", "One."), 1).await;
    let (agents, claude) = (
        project.skill_path(".agents", "fix"),
        project.skill_path(".claude", "fix"),
    );
    std::fs::create_dir_all(claude.parent().unwrap()).unwrap();
    std::fs::write(&claude, "by hand").unwrap();
    let kept = ".claude/skills/fix/SKILL.md was kept, because it has changes that gemicro did not make";
    assert_eq!(
        project.decide_skill("fix", EntryDecision::Approve, 2).await,
        [kept]
    );
    assert_eq!(project.edit_skill("fix", "Two.", 3).await, [kept]);
    assert!(
        project.skill_files("fix")[0]
            .as_ref()
            .unwrap()
            .ends_with("Two.\n")
    );
    // A file of an earlier version is gemicro's own, such as after a kill.
    let old = std::fs::read_to_string(&agents).unwrap().replace("Two.", "One.");
    std::fs::write(&agents, old).unwrap();
    assert_eq!(project.edit_skill("fix", "Three.", 4).await, [kept]);
    assert!(
        project.skill_files("fix")[0]
            .as_ref()
            .unwrap()
            .ends_with("Three.\n")
    );
    assert_eq!(
        project.decide_skill("fix", EntryDecision::Expire, 5).await,
        [kept]
    );
    assert_eq!(project.skill_files("fix"), [None, Some("by hand".to_owned())]);
}

#[tokio::test]
async fn no_link_is_followed_to_a_skill() {
    let elsewhere = TempDir::new().unwrap();
    let is_link = "was not written, because its folder is a link or not a folder";
    for (link, note) in [
        (".claude", is_link),
        (".claude/skills", is_link),
        (".claude/skills/fix", is_link),
        (".claude/skills/fix/SKILL.md", "cannot be read: it is a link"),
    ] {
        let project = Project::new();
        let path = project.folder.path().join(link);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(elsewhere.path(), &path).unwrap();
        project.propose_skill(&new_skill("fix", "One."), 1).await;
        let notes = project.decide_skill("fix", EntryDecision::Approve, 2).await;
        assert_eq!(notes, [format!(".claude/skills/fix/SKILL.md {note}")], "{link}");
        assert!(project.skill_files("fix")[0].is_some());
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{link}");
    }
}

#[tokio::test]
async fn a_taken_name_or_a_bad_skill_is_not_proposed() {
    let project = Project::new();
    project.propose_skill(&new_skill("fix", "One."), 1).await;
    project.decide_skill("fix", EntryDecision::Reject, 2).await;
    for bad in [
        new_skill("fix", "Two."),
        new_skill("../fix", "Two."),
        new_skill("big", &"x".repeat(1 << 20)),
        new_skill("hidden", "a\u{202e}b"),
    ] {
        project.propose_skill(&bad, 3).await;
    }
    let memory = project.memory.load().await.unwrap();
    let [only] = memory.skills()[..] else {
        panic!("{:?}", memory.skills());
    };
    assert_eq!(memory.state(only, at(4)), EntryState::Rejected);
    assert_eq!(only.skill.as_ref().unwrap().body, "One.");
}
