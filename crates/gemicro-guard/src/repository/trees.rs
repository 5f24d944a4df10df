//! Reads the trees of commits in quarantine, each only once.
//!
//! The main type is [`TreeSet`]. A few objects can form a tree of billions of files: the size of a tree is computed
//! from its parts, and only a tree that is small enough is ever listed.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use super::call::Input;
use super::changes::next_object;
use super::error::RepositoryError;
use super::quarantine::{LIST_BYTES, Quarantine};
use super::refusal::ImportRefusal;

/// Maximum depth of folders. Deeper ones cannot be written in a checkout.
const MOST_LEVELS: usize = 256;
/// Number of trees read at once.
const AT_ONCE: usize = 4096;
/// Maximum size of all trees of an import, in bytes.
const ALL_BYTES: usize = 1 << 30;
/// Number of bytes that git writes for an entry besides its path.
const ENTRY_BYTES: u64 = 53;

/// The needed parts of one tree.
#[derive(Default)]
struct Tree {
    folders: Vec<(Vec<u8>, String)>,
    links: Vec<(Vec<u8>, String)>,
    n_entries: u64,
    names_bytes: u64,
}

/// Sums over a tree with everything below it.
#[derive(Clone, Copy, Default)]
struct TreeSum {
    n_entries: u64,
    /// Length of a list of all its entries.
    list_bytes: u64,
    /// Digest of its links and their paths; `None` if it has none.
    links: Option<[u8; 32]>,
}

/// Trees with everything below them.
#[derive(Default)]
pub(super) struct TreeSet {
    read: HashMap<String, Tree>,
    sums: HashMap<String, TreeSum>,
    n_bytes: usize,
}

impl TreeSet {
    /// Reads these trees and everything below them.
    ///
    /// # Errors
    /// [`ImportRefusal::TooManyFiles`] if one of them is too big to list, and [`ImportRefusal::TooDeep`].
    pub(super) fn read(
        quarantine: &Quarantine<'_>,
        roots: impl IntoIterator<Item = String>,
    ) -> Result<Self, RepositoryError> {
        let mut trees = Self::default();
        let roots: BTreeSet<String> = roots.into_iter().collect();
        let mut level: Vec<String> = roots.iter().cloned().collect();
        for _ in 0..MOST_LEVELS {
            if level.is_empty() {
                break;
            }
            let mut below = BTreeSet::new();
            for asked in level.chunks(AT_ONCE) {
                trees.read_some(quarantine, asked, &mut below)?;
            }
            below.retain(|tree| !trees.read.contains_key(tree));
            level = below.into_iter().collect();
        }
        if !level.is_empty() {
            return Err(ImportRefusal::TooDeep.into());
        }
        for root in &roots {
            if trees.sum(root, 0)?.list_bytes > LIST_BYTES as u64 {
                return Err(ImportRefusal::TooManyFiles.into());
            }
        }
        Ok(trees)
    }

    /// Digest that identifies the links of a tree; `None` if it has none.
    pub(super) fn links_digest(&self, root: &str) -> Option<[u8; 32]> {
        self.sums.get(root).and_then(|sum| sum.links)
    }

    /// The links of a tree: path and object.
    pub(super) fn links(&self, root: &str) -> Vec<(Vec<u8>, String)> {
        let mut found = Vec::new();
        let mut left = vec![(Vec::new(), root)];
        while let Some((path, name)) = left.pop() {
            let Some(tree) = self.read.get(name) else { continue };
            let joined = |part: &[u8]| match path.is_empty() {
                true => part.to_vec(),
                false => [path.as_slice(), part].join(&b'/'),
            };
            found.extend(
                tree.links
                    .iter()
                    .map(|(part, object)| (joined(part), object.clone())),
            );
            let folders = tree.folders.iter();
            let with_links = folders.filter(|(_, object)| self.links_digest(object).is_some());
            left.extend(with_links.map(|(part, object)| (joined(part), object.as_str())));
        }
        found
    }

    fn read_some(
        &mut self,
        quarantine: &Quarantine<'_>,
        asked: &[String],
        below: &mut BTreeSet<String>,
    ) -> Result<(), RepositoryError> {
        let lines: String = asked.iter().map(|tree| format!("{tree}\n")).collect();
        let input = Input::Bytes(lines.into_bytes());
        let output = quarantine
            .within(&["cat-file", "--batch"], input, LIST_BYTES)?
            .output;
        self.n_bytes = self.n_bytes.saturating_add(output.len());
        if self.n_bytes > ALL_BYTES {
            return Err(ImportRefusal::TooManyFiles.into());
        }
        let mut rest = output.as_slice();
        for name in asked {
            let unsound = || ImportRefusal::Objects {
                line: format!("the tree {name} cannot be read"),
            };
            let (bytes, after) = next_object(rest).ok_or_else(unsound)?;
            let tree = parse(bytes, name.len() / 2).ok_or_else(unsound)?;
            below.extend(tree.folders.iter().map(|(_, object)| object.clone()));
            self.read.insert(name.clone(), tree);
            rest = after;
        }
        Ok(())
    }

    fn sum(&mut self, name: &str, level: usize) -> Result<TreeSum, ImportRefusal> {
        if let Some(sum) = self.sums.get(name) {
            return Ok(*sum);
        }
        if level > MOST_LEVELS {
            return Err(ImportRefusal::TooDeep);
        }
        let tree = self.read.remove(name).unwrap_or_default();
        let mut sum = TreeSum {
            n_entries: tree.n_entries,
            list_bytes: tree
                .n_entries
                .saturating_mul(ENTRY_BYTES)
                .saturating_add(tree.names_bytes),
            links: None,
        };
        let mut digest = Sha256::new();
        let mut has_links = !tree.links.is_empty();
        let mut add = |kind: u8, name: &[u8], content: &[u8]| {
            digest.update([kind]);
            digest.update((name.len() as u64).to_be_bytes());
            digest.update(name);
            digest.update(content);
        };
        for (part, object) in &tree.links {
            add(0, part, object.as_bytes());
        }
        for (part, object) in &tree.folders {
            let inner = self.sum(object, level + 1)?;
            let prefix = inner.n_entries.saturating_mul(part.len() as u64 + 1);
            sum.n_entries = sum.n_entries.saturating_add(inner.n_entries);
            sum.list_bytes = sum
                .list_bytes
                .saturating_add(inner.list_bytes)
                .saturating_add(prefix);
            if let Some(links) = inner.links {
                has_links = true;
                add(1, part, &links);
            }
        }
        if has_links {
            sum.links = Some(digest.finalize().into());
        }
        self.read.insert(name.to_owned(), tree);
        self.sums.insert(name.to_owned(), sum);
        Ok(sum)
    }
}

/// A tree object: a sequence of `mode name`, a zero byte, and the object id in bytes.
fn parse(mut bytes: &[u8], object_bytes: usize) -> Option<Tree> {
    let mut tree = Tree::default();
    while !bytes.is_empty() {
        let space = bytes.iter().position(|byte| *byte == b' ')?;
        let (mode, rest) = (&bytes[..space], &bytes[space + 1..]);
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = &rest[..end];
        let (object, after) = rest[end + 1..].split_at_checked(object_bytes)?;
        let object = || object.iter().map(|byte| format!("{byte:02x}")).collect();
        match mode {
            b"40000" | b"040000" => tree.folders.push((name.to_vec(), object())),
            b"120000" => tree.links.push((name.to_vec(), object())),
            _ => {}
        }
        tree.n_entries += 1;
        tree.names_bytes += name.len() as u64;
        bytes = after;
    }
    Some(tree)
}
