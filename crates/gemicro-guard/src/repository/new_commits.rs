//! Every commit that an import would bring, judged on its own: what later commits took out again stays in the history.

use std::collections::{BTreeMap, BTreeSet};

use super::call::Input;
use super::changes::{self, TreeChange, next_object};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::links::{self, Links};
use super::quarantine::{LIST_BYTES, Quarantine};
use super::refusal::ImportRefusal;
use super::report::{ImportWarning, ReportKind, plain};
use super::rules::ImportRules;
use super::trees::TreeSet;

/// As many commits come at once.
const MOST_COMMITS: usize = 10_000;
/// The longest commit, nearly all of which is its message.
const COMMIT_BYTES: u64 = 64 << 10;
/// The messages of all of them.
const ALL_COMMITS_BYTES: u64 = 16 << 20;
/// The longest target of a link that a kernel takes.
const TARGET_BYTES: u64 = 4096;
/// Links in all trees that differ in their links.
const MOST_LINKS: usize = 1_000_000;

/// What all the new commits hold.
pub(super) struct NewCommits {
    /// Links that lead out of a new tree, and did not lead out of a tree that is known in the same way.
    pub(super) escaping_links: Links,
    /// Files over the limit.
    pub(super) big_files: Vec<ImportWarning>,
    /// What each of them changed, whatever later ones changed back.
    pub(super) changes: Vec<TreeChange>,
}

/// Reads the commits that lead to `new` and neither to `old` nor to a known one.
///
/// # Errors
/// When there are too many, or one of them is too big.
pub(super) fn read(
    quarantine: &Quarantine<'_>,
    (old, new): (&CommitId, &CommitId),
    rules: &ImportRules,
) -> Result<NewCommits, RepositoryError> {
    let known: Vec<&CommitId> = rules.known.iter().chain([old]).collect();
    let without: Vec<String> = known.iter().map(|id| format!("^{id}")).collect();
    let mut range = vec![new.as_str()];
    range.extend(without.iter().map(String::as_str).chain(["--"]));
    let commits = commits(quarantine, &range)?;
    let ids: Vec<&str> = commits.iter().map(String::as_str).collect();
    let roots = roots(quarantine, &ids)?;
    let big_files = objects(quarantine, &range, rules)?;
    let known_roots = roots_of(quarantine, &known)?;
    let trees = TreeSet::read(quarantine, roots.iter().chain(&known_roots).cloned())?;
    Ok(NewCommits {
        escaping_links: new_escaping_links(quarantine, &trees, &roots, &known_roots)?,
        big_files,
        changes: changes::of_each(quarantine, &commits)?,
    })
}

/// The new commits, none of which is too long.
fn commits(quarantine: &Quarantine<'_>, range: &[&str]) -> Result<Vec<String>, RepositoryError> {
    let most = format!("--max-count={}", MOST_COMMITS + 1);
    let mut arguments = vec!["rev-list", &most];
    arguments.extend(range);
    let listed = quarantine.ok(&arguments, Input::Nothing)?.text();
    let n_commits = listed.lines().count();
    if n_commits > MOST_COMMITS {
        let limit = MOST_COMMITS;
        return Err(ImportRefusal::TooManyCommits { limit }.into());
    }
    let mut all_bytes = 0;
    for (id, bytes) in listed.lines().zip(sizes(quarantine, &listed)?) {
        all_bytes += bytes;
        if bytes > COMMIT_BYTES || all_bytes > ALL_COMMITS_BYTES {
            let commit = id.to_owned();
            return Err(ImportRefusal::LongMessage { commit }.into());
        }
    }
    Ok(listed.lines().map(str::to_owned).collect())
}

fn roots_of(quarantine: &Quarantine<'_>, commits: &[&CommitId]) -> Result<BTreeSet<String>, RepositoryError> {
    let ids: Vec<&str> = commits.iter().map(|id| id.as_str()).collect();
    roots(quarantine, &ids)
}

fn roots(quarantine: &Quarantine<'_>, commits: &[&str]) -> Result<BTreeSet<String>, RepositoryError> {
    let asked: String = commits.iter().map(|id| format!("{id}^{{tree}}\n")).collect();
    let arguments = ["cat-file", "--batch-check=%(objectname)"];
    let text = quarantine
        .ok(&arguments, Input::Bytes(asked.into_bytes()))?
        .text();
    let roots: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    match roots.iter().find(|root| CommitId::parse(root).is_none()) {
        None => Ok(roots),
        Some(line) => Err(ImportRefusal::Objects { line: line.clone() }.into()),
    }
}

/// The big files among all new objects, which together have no more bytes than may be.
fn objects(
    quarantine: &Quarantine<'_>,
    range: &[&str],
    rules: &ImportRules,
) -> Result<Vec<ImportWarning>, RepositoryError> {
    let mut arguments = vec!["rev-list", "--objects"];
    arguments.extend(range);
    let output = quarantine.within(&arguments, Input::Nothing, LIST_BYTES)?.output;
    let lines: Vec<&[u8]> = output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .collect();
    let named: Vec<(&[u8], &[u8])> = lines
        .into_iter()
        .map(|line| match line.iter().position(|byte| *byte == b' ') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        })
        .collect();
    let asked: Vec<u8> = named.iter().flat_map(|(id, _)| [*id, b"\n"].concat()).collect();
    let sizes = sizes(quarantine, &String::from_utf8_lossy(&asked))?;
    let bytes = sizes.iter().copied().fold(0, u64::saturating_add);
    if bytes > rules.all_files_bytes {
        let limit = rules.all_files_bytes;
        return Err(ImportRefusal::TooMuch { bytes, limit }.into());
    }
    let big = named
        .iter()
        .zip(sizes)
        .filter(|(_, bytes)| *bytes > rules.file_bytes);
    // A commit has no path; how long it may be was said before.
    let reports = big
        .filter(|((_, path), _)| !path.is_empty())
        .map(|((_, path), bytes)| ImportWarning {
            kind: ReportKind::BigFile,
            path: plain(path),
            detail: Some(format!("{bytes} bytes, in an earlier commit of the branch")),
        });
    Ok(reports.collect())
}

/// The sizes of objects, one name per line.
fn sizes(quarantine: &Quarantine<'_>, ids: &str) -> Result<Vec<u64>, RepositoryError> {
    let arguments = ["cat-file", "--batch-check=%(objectsize)"];
    let mut ids = ids.to_owned();
    if !ids.is_empty() && !ids.ends_with('\n') {
        ids.push('\n');
    }
    let text = quarantine.ok(&arguments, Input::Bytes(ids.into_bytes()))?.text();
    let unsound = |line: &str| ImportRefusal::Objects {
        line: line.to_owned(),
    };
    text.lines()
        .map(|line| line.parse().map_err(|_| unsound(line).into()))
        .collect()
}

/// The links that lead out of any of these trees, and of none that is known.
fn new_escaping_links(
    quarantine: &Quarantine<'_>,
    trees: &TreeSet,
    roots: &BTreeSet<String>,
    known_roots: &BTreeSet<String>,
) -> Result<Links, RepositoryError> {
    let by_links = |roots: &BTreeSet<String>| -> BTreeMap<[u8; 32], String> {
        let each = roots
            .iter()
            .filter_map(|root| Some((trees.links_digest(root)?, root.clone())));
        each.collect()
    };
    let known = by_links(known_roots);
    let mut new = by_links(roots);
    new.retain(|links, _| !known.contains_key(links));
    let mut found = Links::new();
    if new.is_empty() {
        return Ok(found);
    }
    let mut budget = links::Budget::default();
    let mut targets = BTreeMap::new();
    let mut n_links = 0;
    for (is_new, root) in new
        .values()
        .map(|root| (true, root))
        .chain(known.values().map(|root| (false, root)))
    {
        let linked = trees.links(root);
        n_links += linked.len();
        if is_new && n_links > MOST_LINKS {
            return Err(ImportRefusal::TooManyFiles.into());
        }
        read_targets(quarantine, &linked, &mut targets)?;
        let whole: Links = linked
            .into_iter()
            .filter_map(|(path, object)| Some((path, targets.get(&object)?.clone())))
            .collect();
        let escaping = links::escaping_links(&whole, &mut budget);
        if is_new {
            found.extend(escaping);
        } else {
            found.retain(|path, target| escaping.get(path) != Some(target));
        }
    }
    Ok(found)
}

/// Reads where links lead that were not read yet. One that no kernel would make leads out.
fn read_targets(
    quarantine: &Quarantine<'_>,
    linked: &[(Vec<u8>, String)],
    targets: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), RepositoryError> {
    let unread: BTreeSet<&String> = linked.iter().map(|(_, object)| object).collect();
    let unread: Vec<&String> = unread
        .into_iter()
        .filter(|object| !targets.contains_key(*object))
        .collect();
    let lines =
        |objects: &[&String]| -> String { objects.iter().map(|object| format!("{object}\n")).collect() };
    let sizes = sizes(quarantine, &lines(&unread))?;
    let (short, long): (Vec<_>, Vec<_>) = unread
        .into_iter()
        .zip(sizes)
        .partition(|(_, bytes)| *bytes <= TARGET_BYTES);
    for (object, _) in long {
        targets.insert(object.clone(), b"/ (a target that is too long)".to_vec());
    }
    let short: Vec<&String> = short.into_iter().map(|(object, _)| object).collect();
    let input = Input::Bytes(lines(&short).into_bytes());
    let output = quarantine
        .within(&["cat-file", "--batch"], input, LIST_BYTES)?
        .output;
    let mut rest = output.as_slice();
    for object in short {
        let unsound = || ImportRefusal::Objects {
            line: format!("the link {object} cannot be read"),
        };
        let (target, after) = next_object(rest).ok_or_else(unsound)?;
        targets.insert(object.clone(), target.to_vec());
        rest = after;
    }
    Ok(())
}
