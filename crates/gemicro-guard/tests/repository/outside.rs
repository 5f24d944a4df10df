//! Everything outside a task's folder, byte for byte.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gemicro_guard::sandbox::Tier;

use crate::world::World;

/// Files, folders and links outside the state folder, with modes and content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outside {
    found: BTreeMap<String, (u32, Vec<u8>)>,
}

impl Outside {
    pub(crate) fn take(world: &World) -> Self {
        let mut found = BTreeMap::new();
        walk(&world.path(""), "", &mut found);
        Self { found }
    }

    /// Nothing at all differs. Modes are compared in tier full alone: Landlock does not hold them back (a known gap).
    pub(crate) fn assert_same(&self, world: &World, tier: Tier, context: &str) {
        let after = Self::take(world);
        let differing = self.differing(&after, tier);
        assert!(
            differing.is_empty(),
            "tier {tier}, {context}: {differing:?} changed"
        );
    }

    /// Nothing differs but the task's branch with its log, new objects, and the worktree that shows it.
    pub(crate) fn assert_only_task(&self, world: &World, tier: Tier, context: &str) {
        let after = Self::take(world);
        let mut differing = self.differing(&after, tier);
        differing.retain(|path| {
            let is_new = !self.found.contains_key(path);
            let is_task = path.starts_with("repo/.git/refs/heads/task")
                || path.starts_with("repo/.git/logs/refs/heads/task");
            let is_object = is_new && path.starts_with("repo/.git/objects/");
            let is_shown = path.starts_with(".worktrees") || path.starts_with("repo/.git/worktrees");
            // Left empty by git after the incoming reference is gone.
            let is_folder = is_new && path.starts_with("repo/.git/refs/gemicro") && world.path(path).is_dir();
            // All references are in there: the tripwire compares them.
            let is_reftable = path.starts_with("repo/.git/reftable");
            !(is_task || is_object || is_shown || is_folder || is_reftable)
        });
        assert!(
            differing.is_empty(),
            "tier {tier}, {context}: {differing:?} changed"
        );
    }

    fn differing(&self, after: &Self, tier: Tier) -> Vec<String> {
        let with_modes = tier == Tier::Full;
        let seen = |one: &Self, path: &String| {
            one.found
                .get(path)
                .map(|(mode, bytes)| (if with_modes { *mode } else { 0 }, bytes.clone()))
        };
        let mut paths: Vec<&String> = self.found.keys().chain(after.found.keys()).collect();
        paths.sort();
        paths.dedup();
        let differs = |path: &&String| seen(self, path) != seen(after, path);
        paths.into_iter().filter(differs).cloned().collect()
    }
}

fn walk(top: &Path, name: &str, found: &mut BTreeMap<String, (u32, Vec<u8>)>) {
    for entry in std::fs::read_dir(top.join(name)).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
        if name == "state" {
            continue;
        }
        let facts = std::fs::symlink_metadata(&path).unwrap();
        let bytes = if facts.is_symlink() {
            std::fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec()
        } else if facts.is_dir() {
            walk(top, &name, found);
            Vec::new()
        } else {
            std::fs::read(&path).unwrap()
        };
        found.insert(name, (facts.permissions().mode(), bytes));
    }
}
