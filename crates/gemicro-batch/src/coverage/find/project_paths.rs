//! Makes the paths of a report relative to the project's folder.
//!
//! A path inside the project's folder is used directly. A path from another machine or folder belongs to the project
//! if it ends like a file of the project. A report comes from one checkout, so the folder that matches most files is
//! taken as that checkout, and everything in it counts as the project's, even files that have moved since. A report
//! with paths in the project's own folder has no other checkout. Paths are only compared: no file is opened, and none
//! leads out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Folders of the system and of third-party code; files there never belong to the project.
const FOREIGN: [&str; 7] = [
    "/usr/",
    "/rustc/",
    "/nix/store/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/.rustup/",
    "/rustlib/",
];

/// The project that paths are matched with.
#[derive(Debug)]
pub(in crate::coverage) struct ProjectPaths {
    /// The folder as given, and with links resolved.
    roots: [String; 2],
    real: PathBuf,
}

/// A possible meaning of a path.
#[derive(Debug)]
struct PathCandidate {
    path: String,
    /// Whether the report itself gives the absolute path.
    is_reported: bool,
}

/// The mapped paths of a report, in their order.
#[derive(Debug)]
pub(in crate::coverage) struct PlacedPaths {
    /// Paths relative to the project's folder; `None` for files outside the project.
    pub(in crate::coverage) paths: Vec<Option<String>>,
    /// The checkout that the report was made in, if it was another folder.
    pub(in crate::coverage) moved_from: Option<String>,
}

impl ProjectPaths {
    pub(in crate::coverage) fn new(named: &Path, real: &Path) -> Self {
        let text = |path: &Path| plain(&path.to_string_lossy()).unwrap_or_default();
        Self {
            roots: [text(named), text(real)],
            real: real.to_owned(),
        }
    }

    /// Maps all paths of a report that is in `folder` and has these `sources` as base folders.
    pub(in crate::coverage) fn place(&self, paths: &[&str], folder: &str, sources: &[String]) -> PlacedPaths {
        let candidates: Vec<Vec<PathCandidate>> = paths
            .iter()
            .map(|path| self.candidates(path, folder, sources))
            .collect();
        let mut placed: Vec<Option<String>> = candidates.iter().map(|of_path| self.inside(of_path)).collect();
        let is_local = candidates
            .iter()
            .flatten()
            .any(|candidate| candidate.is_reported && self.is_ours(&candidate.path));
        let strangers = candidates
            .iter()
            .zip(&placed)
            .filter(|(_, placed)| placed.is_none() && !is_local);
        let moved_from = self.checkout(strangers.map(|(of_path, _)| of_path.as_slice()));
        if let Some(checkout) = &moved_from {
            for (of_path, placed) in candidates.iter().zip(&mut placed) {
                if placed.is_none() {
                    *placed = of_path
                        .iter()
                        .find_map(|candidate| below(&candidate.path, checkout));
                }
            }
        }
        PlacedPaths {
            paths: placed,
            moved_from,
        }
    }

    /// When a file of the project was modified; `None` if it does not exist.
    pub(in crate::coverage) fn written_at(&self, path: &str) -> Option<SystemTime> {
        let metadata = std::fs::symlink_metadata(self.real.join(path)).ok()?;
        metadata.modified().ok().filter(|_| !metadata.is_dir())
    }

    /// The possible meanings of a path.
    fn candidates(&self, path: &str, folder: &str, sources: &[String]) -> Vec<PathCandidate> {
        let path = forward_slashes(path);
        let known_path = |path: String| {
            plain(&path).map(|path| PathCandidate {
                path,
                is_reported: true,
            })
        };
        if is_absolute(&path) {
            return known_path(path).into_iter().collect();
        }
        let root = &self.roots[1];
        let absolute = sources
            .iter()
            .map(|source| forward_slashes(source))
            .filter(|source| is_absolute(source));
        let below_sources = absolute.filter_map(|source| known_path(format!("{source}/{path}")));
        let relative = sources
            .iter()
            .map(|source| forward_slashes(source))
            .filter(|source| !is_absolute(source));
        let folders = relative.chain([String::new(), folder.to_owned()]);
        // A relative path that leaves the project does not belong to it.
        let below_root = folders.filter_map(|folder| {
            let path = plain(&format!("{root}/{folder}/{path}")).filter(|path| self.is_ours(path))?;
            Some(PathCandidate {
                path,
                is_reported: false,
            })
        });
        below_sources.chain(below_root).collect()
    }

    /// The best candidate inside the project; existing files first.
    fn inside(&self, candidates: &[PathCandidate]) -> Option<String> {
        let inside = || {
            candidates
                .iter()
                .filter_map(|candidate| self.ours(&candidate.path))
        };
        let there = inside().find(|path| self.is_there(path));
        let is_elsewhere = || {
            candidates
                .iter()
                .any(|candidate| self.end_below(&candidate.path).is_some())
        };
        match there {
            // A folder that the report names matches better than the project's.
            None if is_elsewhere() => None,
            None => inside().next(),
            there => there,
        }
    }

    /// The path relative to the project's folder.
    fn ours(&self, path: &str) -> Option<String> {
        self.roots.iter().find_map(|root| below(path, root))
    }

    fn is_ours(&self, path: &str) -> bool {
        self.ours(path).is_some()
    }

    fn is_there(&self, path: &str) -> bool {
        self.written_at(path).is_some()
    }

    /// The folder outside the project that matches most of these files, if at least one match is certain.
    fn checkout<'c>(&self, strangers: impl Iterator<Item = &'c [PathCandidate]>) -> Option<String> {
        let mut votes: BTreeMap<String, (usize, bool)> = BTreeMap::new();
        let own_name = self.roots[1].rsplit('/').next().unwrap_or_default();
        for candidates in strangers {
            let fits = candidates
                .iter()
                .find_map(|candidate| self.end_below(&candidate.path));
            let Some((checkout, n_parts)) = fits else {
                continue;
            };
            // A single file name, such as `config.h`, could belong to any project.
            let is_sure = n_parts > 1 || checkout.rsplit('/').next() == Some(own_name);
            let vote = votes.entry(checkout).or_default();
            vote.0 += 1;
            vote.1 |= is_sure;
        }
        let sure = votes.into_iter().filter(|(_, (_, is_sure))| *is_sure);
        sure.max_by(|one, other| (one.1.0, &other.0).cmp(&(other.1.0, &one.0)))
            .map(|(checkout, _)| checkout)
    }

    /// The longest suffix of an outside path that is a file of the project: what precedes it, and its number of parts.
    fn end_below(&self, path: &str) -> Option<(String, usize)> {
        if self.is_ours(path) || FOREIGN.iter().any(|folder| path.contains(folder)) {
            return None;
        }
        let slashes: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
        let fits = slashes.iter().position(|at| self.is_there(&path[at + 1..]))?;
        Some((path[..slashes[fits]].to_owned(), slashes.len() - fits))
    }
}

/// The rest of a path inside a folder.
fn below(path: &str, folder: &str) -> Option<String> {
    let rest = path.strip_prefix(folder)?.strip_prefix('/')?;
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn forward_slashes(path: &str) -> String {
    let is_of_windows = !path.contains('/') && path.contains('\\');
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    match is_of_windows || has_drive {
        true => path.replace('\\', "/"),
        false => path.to_owned(),
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || (path.as_bytes().get(1) == Some(&b':') && path.as_bytes().get(2) == Some(&b'/'))
}

/// An absolute path without `.`, `..` and doubled separators; `None` if it goes above the root.
fn plain(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let drive = !path.starts_with('/');
    let joined = parts.join("/");
    Some(if drive { joined } else { format!("/{joined}") })
}
