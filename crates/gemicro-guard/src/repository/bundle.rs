//! Copies a bundle out of the agent's reach and reads its header. Treats it as data only.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::inside_git::BUNDLE;
use super::layout::TaskLayout;
use super::open_beneath;
use super::refusal::ImportRefusal;

/// Maximum size of the header; one that gemicro writes has a few lines.
const HEADER_BYTES: u64 = 1 << 20;

/// A bundle copied to gemicro's own folder, where it is deleted on drop.
#[derive(Debug)]
pub(super) struct Bundle {
    copied: CopiedPack,
    header: Header,
}

impl Bundle {
    /// Copies the bundle from the agent's temporary folder, and reads its header.
    pub(super) fn take(layout: &TaskLayout, branch: &str, most_bytes: u64) -> Result<Self, RepositoryError> {
        let copied = CopiedPack::make(layout, most_bytes)?;
        let failed = |source| RepositoryError::file("read", &copied.path, source);
        let file = File::open(&copied.path).map_err(failed)?;
        let header = Header::read(file, branch)?;
        Ok(Self { copied, header })
    }

    pub(super) fn path(&self) -> &Path {
        &self.copied.path
    }

    /// The tip of the branch, according to the bundle.
    pub(super) fn tip(&self) -> &CommitId {
        &self.header.tip
    }

    /// The commits that it builds on, according to the bundle.
    pub(super) fn prerequisites(&self) -> &[CommitId] {
        &self.header.needed
    }

    /// The pack inside the bundle.
    pub(super) fn pack(&self) -> Result<File, RepositoryError> {
        let failed = |source| RepositoryError::file("read", self.path(), source);
        let mut file = File::open(self.path()).map_err(failed)?;
        file.seek(SeekFrom::Start(self.header.pack_at)).map_err(failed)?;
        Ok(file)
    }
}

/// The copied file, deleted on drop.
#[derive(Debug)]
struct CopiedPack {
    path: PathBuf,
}

impl CopiedPack {
    fn make(layout: &TaskLayout, most_bytes: u64) -> Result<Self, RepositoryError> {
        let name = format!("tmp/{BUNDLE}");
        let file =
            open_beneath::open_file(&layout.folder, &name).map_err(|error| ImportRefusal::NotAFile {
                why: error.to_string(),
            })?;
        let path = layout.out().join("in.bundle");
        // Left over from an import that was killed.
        let _ = std::fs::remove_file(&path);
        let copied = Self { path };
        let failed = |source| RepositoryError::file("copy a bundle to", &copied.path, source);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut copy = options.open(&copied.path).map_err(failed)?;
        // The file may still grow: only the bytes actually read count.
        let mut bounded = file.take(most_bytes.saturating_add(1));
        let n_bytes = std::io::copy(&mut bounded, &mut copy).map_err(failed)?;
        if n_bytes > most_bytes {
            return Err(ImportRefusal::TooBig { limit: most_bytes }.into());
        }
        Ok(copied)
    }
}

impl Drop for CopiedPack {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The header before the pack. Only lines that our own command writes are accepted: a capability such as `@filter`
/// would turn the user's repository into a partial clone.
#[derive(Debug)]
struct Header {
    tip: CommitId,
    needed: Vec<CommitId>,
    /// Offset of the pack.
    pack_at: u64,
}

impl Header {
    fn read(file: impl Read, branch: &str) -> Result<Self, RepositoryError> {
        let mut reader = BufReader::new(file.take(HEADER_BYTES));
        let mut pack_at = 0_u64;
        let mut tip = None;
        let mut needed = Vec::new();
        for n_lines in 0_u64.. {
            let mut line = Vec::new();
            let n_bytes = reader.read_until(b'\n', &mut line);
            let n_bytes = n_bytes.map_err(|error| unusable(&error.to_string()))?;
            pack_at += u64::try_from(n_bytes).unwrap_or(u64::MAX);
            if line.pop() != Some(b'\n') {
                return Err(unusable("it is incomplete").into());
            }
            let line = String::from_utf8_lossy(&line);
            match BundleLine::of(n_lines, &line)? {
                BundleLine::Known => {}
                BundleLine::End => break,
                BundleLine::Needed(id) => needed.push(id),
                BundleLine::Reference(id, name) if name == branch => tip = Some(id),
                BundleLine::Reference(..) => {}
            }
        }
        let tip = tip.ok_or_else(|| unusable("the task's branch is not in it"))?;
        Ok(Self { tip, needed, pack_at })
    }
}

/// One line of a header.
enum BundleLine<'a> {
    Known,
    Needed(CommitId),
    Reference(CommitId, &'a str),
    End,
}

impl<'a> BundleLine<'a> {
    fn of(n_before: u64, line: &'a str) -> Result<Self, ImportRefusal> {
        if n_before == 0 {
            return match line {
                "# v2 git bundle" | "# v3 git bundle" => Ok(Self::Known),
                _ => Err(unusable("it is not a bundle")),
            };
        }
        if line.is_empty() {
            return Ok(Self::End);
        }
        if line.starts_with('@') {
            return match line.starts_with("@object-format=") {
                true => Ok(Self::Known),
                false => Err(unusable("it needs an unsupported capability")),
            };
        }
        let nameless = || unusable("one of its lines has no object id");
        if let Some(rest) = line.strip_prefix('-') {
            let id = rest.split(' ').next().and_then(CommitId::parse);
            return id.map(Self::Needed).ok_or_else(nameless);
        }
        let (id, name) = line.split_once(' ').ok_or_else(nameless)?;
        let id = CommitId::parse(id).ok_or_else(nameless)?;
        Ok(Self::Reference(id, name))
    }
}

fn unusable(why: &str) -> ImportRefusal {
    ImportRefusal::Header { why: why.to_owned() }
}
