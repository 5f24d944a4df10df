//! Finds which paths a command in a sandbox can read, and which programs it failed to find because they are hidden.

use std::path::{Path, PathBuf};

use super::plan::open_paths;
use super::profile::Profile;
use crate::search_path::{ProgramLookup, find_program, look_at};

/// The system's folders that every command may read.
pub(super) const SYSTEM: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/proc", "/sys", "/dev",
    "/nix",
];
/// Ends of messages from a shell, make or the kernel about a program that cannot be started.
const COMPLAINTS: [&str; 4] = [
    ": command not found",
    ": not found",
    ": Permission denied",
    ": No such file or directory",
];

/// Whether every command may read this path.
pub(super) fn is_of_the_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Advice for a program that the sandbox hides.
#[must_use]
pub fn show_program_hint(program: &Path) -> String {
    let folder = program.parent().unwrap_or(program);
    format!(
        "{} cannot be seen in the sandbox: add its folder to `readable` in the [guard] section of your settings, \
         such as `readable = [{:?}]`",
        program.display(),
        folder.display().to_string()
    )
}

impl Profile {
    /// A program that exists on this machine but is hidden by the sandbox, and that a command's output names or reports
    /// as missing. Only programs: the output does not reveal which other files exist.
    #[must_use]
    pub fn hidden_program(&self, printed: &str) -> Option<PathBuf> {
        let path = self.environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.as_str()).unwrap_or_default();
        let missing = printed.lines().filter_map(|line| {
            let line = line.trim();
            let before = COMPLAINTS.iter().find_map(|ending| line.strip_suffix(ending))?;
            let name = before.rsplit(": ").next()?.trim_matches(['`', '\'', '"']);
            match find_program(name.as_ref(), path.as_ref()) {
                ProgramLookup::Program(program) if !name.contains('/') => Some(program),
                ProgramLookup::Program(_) | ProgramLookup::NotExecutable(_) | ProgramLookup::Nothing => None,
            }
        });
        let is_divider = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '\'' | '"' | '`' | ':' | ';' | ',' | '(' | ')' | '=' | '<' | '>'
                )
        };
        let named = printed
            .split(is_divider)
            .filter(|word| word.len() > 1 && word.starts_with('/'));
        let named = named.filter_map(|word| match look_at(Path::new(word)) {
            ProgramLookup::Program(program) => Some(program),
            ProgramLookup::NotExecutable(_) | ProgramLookup::Nothing => None,
        });
        missing.chain(named).find(|program| !self.shows(program))
    }

    /// Whether a command can read a path, and the target if it is a link.
    fn shows(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else {
            return true;
        };
        let opened: Vec<PathBuf> = open_paths(self)
            .filter_map(|open| open.canonicalize().ok())
            .collect();
        let mut both = [path, &real].into_iter();
        both.all(|path| is_of_the_system(path) || opened.iter().any(|open| path.starts_with(open)))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::profile::{Network, PinnedPath, ResourceLimits, Shells, WriteMode};
    use super::*;

    fn profile(place: &Path, path: &str) -> Profile {
        Profile {
            mode: WriteMode::ReadOnly,
            workspace: place.join("work"),
            writable: Vec::new(),
            pinned: Vec::new(),
            pinning: PinnedPath::Required,
            shells: Shells::Within,
            readable: vec![place.join("shown")],
            hidden: Vec::new(),
            user_home: place.join("user"),
            home: place.join("home"),
            temporary: place.join("tmp"),
            network: Network::None,
            unix_sockets: false,
            limits: ResourceLimits::default(),
            environment: vec![("PATH".to_owned(), path.to_owned())],
        }
    }

    #[test]
    fn only_programs_that_are_hidden_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        for (name, mode) in [
            ("user/bin/tool", 0o755),
            ("user/.ssh/id", 0o600),
            ("shown/other", 0o755),
            ("work/own", 0o755),
        ] {
            let file = place.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::os::unix::fs::symlink(place.join("user/bin/tool"), place.join("shown/link")).unwrap();
        let at = |name: &str| place.join(name).display().to_string();
        let path = format!("{}:{}:/usr/bin:/bin", at("user/bin"), at("shown"));
        let profile = profile(&place, &path);
        let tool = at("user/bin/tool");
        for printed in [
            format!("sh: 1: exec: {tool}: not found"),
            format!("bash: {tool}: Permission denied"),
            format!("./run: {tool}: bad interpreter: No such file or directory"),
            format!("fine\nenv: '{tool}': No such file or directory\nmake: *** [test] Error 127"),
            "bash: line 1: tool: command not found".to_owned(),
            "make: tool: Permission denied".to_owned(),
        ] {
            assert_eq!(
                profile.hidden_program(&printed),
                Some(tool.clone().into()),
                "{printed}"
            );
        }
        // What a link in a folder that is shown leads to is hidden as well.
        let linked = profile.hidden_program("sh: 1: link: not found");
        assert_eq!(linked, Some(at("shown/link").into()));
        for printed in [
            String::new(),
            format!("cat: {}: Permission denied", at("user/.ssh/id")),
            format!(
                "{} {} /bin/sh {}",
                at("shown/other"),
                at("work/own"),
                at("user/bin")
            ),
            "sh: 1: other: not found; sh: 1: nothing: not found".to_owned(),
        ] {
            assert_eq!(profile.hidden_program(&printed), None, "{printed}");
        }
        let hint = show_program_hint(Path::new(&tool));
        assert!(
            hint.contains(&format!("readable = [\"{}\"]", at("user/bin"))),
            "{hint}"
        );
    }
}
