//! Settings of agent CLIs in a workspace: agents started by gemicro load none of them.
//!
//! They can name programs to start, other addresses of the model and replacements for tools, and an agent may have
//! written them. Claude Code and Codex get arguments to load none. Gemini CLI has no such option, and Codex none for
//! skills, so they must not see the folders: these are left out of checkouts that gemicro creates, and hidden by the
//! sandbox elsewhere.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use gemicro_core::ask::AgentName;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::Tier;
use rustix::fs::OFlags;

/// Folders that Gemini CLI loads settings, variables, hooks, agents, commands, skills and extensions from.
const OF_GEMINI: [&str; 2] = [".gemini", ".agents"];
/// Folders whose skills Codex adds to a prompt that contains `$NAME`, even if the workspace is not trusted.
const OF_CODEX: [&str; 2] = [".agents", ".codex"];
/// Rules that Claude Code loads from a folder as soon as it reads a file there.
const CLAUDE_RULES: &str = ".claude/rules";
/// Files and folders that any agent CLI loads settings from.
const OF_ANY: [&str; 5] = [".claude", ".gemini", ".codex", ".agents", ".mcp.json"];
/// Maximum size of an agent's instructions, in bytes.
pub(super) const MAX_INSTRUCTIONS: u64 = 64 * 1024;

/// The settings to hide from an agent in this folder. Gemini CLI also looks for variables in the parent folders; the
/// user's own folder is hidden in every sandbox. Codex is configured to search only the working folder.
pub(super) fn hidden_settings(agent: AgentName, workplace: &Path, user_home: &Path) -> Vec<PathBuf> {
    let paths: Vec<PathBuf> = match agent {
        AgentName::Claude => Vec::new(),
        AgentName::Codex => OF_CODEX.map(|name| skills_in(workplace.join(name))).to_vec(),
        AgentName::Gemini => {
            let folders = workplace.ancestors().filter(|folder| *folder != user_home);
            let paths = folders.flat_map(|folder| OF_GEMINI.map(|name| folder.join(name)));
            paths.collect()
        }
    };
    let exists = |path: &PathBuf| path.symlink_metadata().is_ok();
    paths.into_iter().filter(exists).collect()
}

/// The skills in a folder of settings. If that is a link, nothing is known about the folder behind it.
fn skills_in(folder: PathBuf) -> PathBuf {
    if folder.is_symlink() {
        folder
    } else {
        folder.join("skills")
    }
}

/// Refuses to start an agent that would see settings that must be hidden from it.
pub(super) fn check_hidden(agent: AgentName, tier: Tier, hidden: &[PathBuf]) -> Result<(), Failure> {
    let agent = agent.title();
    let refused = |message: String| Err(Failure::new(ErrorKind::SandboxUnavailable, message));
    match tier {
        // A link can lead to one folder here and to another one inside the sandbox, such as `/proc/self/cwd/folder`.
        Tier::Full | Tier::Seatbelt => match hidden.iter().find(|path| path.is_symlink()) {
            None => Ok(()),
            Some(link) => refused(format!(
                "{agent} would load the settings behind the symbolic link {0}, and the sandbox can only hide a folder. \
                 Replace {0} with a folder, remove it, or use another agent",
                link.display()
            )),
        },
        Tier::Landlock | Tier::None => match hidden.first() {
            None => Ok(()),
            Some(path) => refused(format!(
                "{agent} would load the settings in {0}, and only the bubblewrap sandbox can hide them from it. \
                 Install bubblewrap and use `read-only` or `workspace-write`, move {0} away, or use another agent",
                path.display()
            )),
        },
    }
}

/// Git patterns of files that are left out of an agent's checkout. A role that only writes documents gets no settings
/// of any agent, and no instructions that Gemini CLI would load by itself.
pub(super) fn withheld(agent: AgentName, writes_documents_only: bool) -> Vec<String> {
    let names = match (writes_documents_only, agent) {
        (true, AgentName::Gemini) => [OF_ANY.as_slice(), &[instructions_file(agent)]].concat(),
        (true, AgentName::Claude | AgentName::Codex) => OF_ANY.to_vec(),
        (false, AgentName::Gemini) => OF_GEMINI.to_vec(),
        (false, AgentName::Claude) => vec![CLAUDE_RULES],
        (false, AgentName::Codex) => vec![".agents/skills", ".codex/skills"],
    };
    let patterns = |name: &str| [format!(":(glob)**/{name}"), format!(":(glob)**/{name}/**")];
    names.into_iter().flat_map(patterns).collect()
}

/// The file with a project's instructions for an agent.
pub(super) fn instructions_file(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Gemini => "GEMINI.md",
        AgentName::Claude => "CLAUDE.md",
        AgentName::Codex => "AGENTS.md",
    }
}

/// The instructions of the user's own folder, for an agent that does not load them itself.
pub(super) fn instructions_in(agent: AgentName, folder: &Path) -> String {
    match agent {
        AgentName::Gemini => String::new(),
        AgentName::Claude | AgentName::Codex => {
            read(&folder.join(instructions_file(agent))).unwrap_or_default()
        }
    }
}

/// Reads a file that is not a link, up to the maximum size.
fn read(path: &Path) -> Option<String> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_INSTRUCTIONS).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gemini_cli_is_shown_no_settings_of_the_workspace_or_above() {
        let place = tempfile::tempdir().expect("a folder");
        let top = place.path().canonicalize().expect("there");
        let workplace = top.join("home/project/part");
        for folder in [
            "home/.gemini",
            "home/project/.gemini",
            "home/project/part/.agents",
        ] {
            std::fs::create_dir_all(top.join(folder)).expect("made");
        }
        let found = hidden_settings(AgentName::Gemini, &workplace, &top.join("home"));
        let expected = ["home/project/part/.agents", "home/project/.gemini"].map(|name| top.join(name));
        assert!(expected.iter().all(|path| found.contains(path)), "{found:?}");
        assert!(!found.contains(&top.join("home/.gemini")), "{found:?}");
        assert!(hidden_settings(AgentName::Claude, &workplace, &top).is_empty());
        for (tier, is_fine) in [(Tier::Full, true), (Tier::Landlock, false), (Tier::None, false)] {
            assert_eq!(
                check_hidden(AgentName::Gemini, tier, &found).is_ok(),
                is_fine,
                "{tier:?}"
            );
            assert!(check_hidden(AgentName::Gemini, tier, &[]).is_ok());
        }
        let link = top.join("home/project/.agents");
        for target in ["/proc/self/cwd/cfg", "later", "part"] {
            std::os::unix::fs::symlink(target, &link).expect("linked");
            let found = hidden_settings(AgentName::Gemini, &workplace, &top.join("home"));
            let refusal = check_hidden(AgentName::Gemini, Tier::Full, &found).expect_err(target);
            assert!(refusal.message.contains("home/project/.agents"), "{refusal}");
            std::fs::remove_file(&link).expect("removed");
        }
    }

    #[test]
    fn codex_is_shown_no_skills_of_the_workspace() {
        let place = tempfile::tempdir().expect("a folder");
        let workplace = place.path().canonicalize().expect("there");
        let hidden = || hidden_settings(AgentName::Codex, &workplace, Path::new("/nowhere"));
        std::fs::create_dir_all(workplace.join(".codex")).expect("made");
        assert!(hidden().is_empty(), "settings without skills stay visible");
        for name in [".agents/skills", ".codex/skills"] {
            std::fs::create_dir_all(workplace.join(name)).expect("made");
        }
        let skills = [".agents/skills", ".codex/skills"].map(|name| workplace.join(name));
        assert_eq!(hidden(), skills);
        assert!(check_hidden(AgentName::Codex, Tier::Full, &skills).is_ok());
        let refusal = check_hidden(AgentName::Codex, Tier::Landlock, &skills).expect_err("visible");
        assert!(refusal.message.starts_with("Codex would load"), "{refusal}");
        // Where a link leads inside the sandbox is not known here.
        std::fs::remove_dir_all(workplace.join(".agents")).expect("removed");
        std::os::unix::fs::symlink("/proc/self/cwd/later", workplace.join(".agents")).expect("linked");
        assert_eq!(hidden()[0], workplace.join(".agents"));
        assert!(check_hidden(AgentName::Codex, Tier::Full, &hidden()).is_err());
    }

    #[test]
    fn instructions_are_a_plain_file_of_the_folder() {
        let place = tempfile::tempdir().expect("a folder");
        let file = place.path().join("CLAUDE.md");
        std::fs::write(&file, "Use tabs.\n").expect("written");
        assert_eq!(instructions_in(AgentName::Claude, place.path()), "Use tabs.\n");
        assert_eq!(instructions_in(AgentName::Codex, place.path()), "");
        std::os::unix::fs::symlink(&file, place.path().join("AGENTS.md")).expect("linked");
        assert_eq!(instructions_in(AgentName::Codex, place.path()), "");
    }
}
