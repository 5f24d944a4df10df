//! Breaks the covered lines on purpose: a test that still passes does not check them.

use std::time::Duration;

use gemicro_event::Failure;
use tokio_util::sync::CancellationToken;

use super::judge::{NewlyCovered, ranges};
use super::measure::write_all;
use super::trial::{Mutations, TrialInput};
use crate::coverage::CodeLanguage;
use crate::mutants::{Mutant, Syntax, mutants};
use crate::patch::NewText;
use crate::project::Project;
use crate::workshop::{Renewable, Workshop};

/// Mutants tried for each one wanted, because some do not build.
const LOOKED_AT: usize = 3;
/// Factor on the earlier test time that gives the time limit.
const SLOWER: u32 = 4;
/// Minimum time limit, in milliseconds.
const LEAST_MS: u64 = 10_000;

/// Tries mutants until enough of them count.
pub(super) async fn break_on_purpose(
    place: &dyn Renewable,
    input: &TrialInput,
    (texts, newly): (&[NewText], &NewlyCovered),
    cancel: &CancellationToken,
) -> Result<Mutations, Failure> {
    // Start from a fresh copy, without files that the test left behind.
    place.renew().await?;
    let workshop = place.workshop();
    write_all(workshop, texts, cancel).await?;
    let bench = BreakingBench {
        workshop,
        texts,
        command: &input.place.commands.test.command,
        limit: limit(input),
        cancel,
    };
    let wanted = input.mutants as usize;
    let mut found = Mutations::default();
    for (path, source, mutant) in versions(workshop, newly)?.into_iter().take(wanted * LOOKED_AT) {
        if found.tried as usize >= wanted {
            break;
        }
        let noticed = bench.is_noticed(&path, &source, &mutant).await?;
        let (word, counts, notices) = match noticed {
            Some(true) => ("noticed", 1, 1),
            Some(false) => ("not noticed", 1, 0),
            None => (
                "does not count: it does not build, or other tests notice it",
                0,
                0,
            ),
        };
        found.tried += counts;
        found.noticed += notices;
        found
            .about
            .push(format!("{path}:{}: {}: {word}", mutant.line, mutant.what));
    }
    found.odd = bench.is_odd(newly).await?;
    Ok(found)
}

/// All mutants, alternating between the files.
fn versions(workshop: &Workshop, newly: &NewlyCovered) -> Result<Vec<(String, String, Mutant)>, Failure> {
    let project = Project::open(workshop.folder())?;
    let mut by_file = Vec::new();
    for (path, lines) in newly {
        let syntax = match CodeLanguage::of(path) {
            CodeLanguage::Cpp => Syntax::C,
            CodeLanguage::Rust => Syntax::Rust,
            CodeLanguage::Other => continue,
        };
        let Some(source) = project.read(path)? else {
            continue;
        };
        let found = mutants(syntax, &source, &ranges(lines));
        by_file.push(
            found
                .into_iter()
                .map(move |mutant| (path.clone(), source.clone(), mutant)),
        );
    }
    let mut versions = Vec::new();
    loop {
        let round: Vec<_> = by_file.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            return Ok(versions);
        }
        versions.extend(round);
    }
}

/// The time limit. A broken loop may never end.
fn limit(input: &TrialInput) -> Duration {
    let slower = input.test_ms.saturating_mul(u64::from(SLOWER)).max(LEAST_MS);
    Duration::from_millis(slower.min(input.place.commands.test.timeout_ms))
}

/// The workshop and limits for trying mutants.
struct BreakingBench<'a> {
    workshop: &'a Workshop,
    texts: &'a [NewText],
    command: &'a str,
    limit: Duration,
    cancel: &'a CancellationToken,
}

impl BreakingBench<'_> {
    /// Whether the new test notices a mutant; `None` if the mutant does not count. Restores the source.
    async fn is_noticed(&self, path: &str, source: &str, mutant: &Mutant) -> Result<Option<bool>, Failure> {
        self.workshop
            .write(path, &mutant.apply(source), self.cancel)
            .await?;
        let noticed = match self.passes().await? {
            true => Some(false),
            // Without the new test the mutant must build and pass; otherwise it is not the new test that fails.
            false => self.passes_without(path, mutant).await?.then_some(true),
        };
        self.workshop.write(path, source, self.cancel).await?;
        Ok(noticed)
    }

    /// Whether the older tests pass with a mutant. Puts the new tests back afterwards.
    async fn passes_without(&self, path: &str, mutant: &Mutant) -> Result<bool, Failure> {
        let changed = self.texts.iter().find(|text| text.path == path);
        let old = changed.map(|text| text.old.as_deref().unwrap_or_default());
        // A file with both code and tests is broken in its old text, which must be the same up to that line.
        let is_same_place = |old: &str, new: &str| {
            let lines = mutant.line as usize;
            old.lines().take(lines).eq(new.lines().take(lines))
        };
        if let (Some(text), Some(old)) = (changed, old)
            && !is_same_place(old, &text.new)
        {
            return Ok(false);
        }
        self.put_tests(Old).await?;
        if let Some(old) = old {
            self.workshop.write(path, &mutant.apply(old), self.cancel).await?;
        }
        let passes = self.passes().await?;
        self.put_tests(New).await?;
        Ok(passes)
    }

    /// Why its failures prove nothing: the test must pass when rerun, and when the sources only get another comment.
    async fn is_odd(&self, newly: &NewlyCovered) -> Result<Option<String>, Failure> {
        if !self.passes().await? {
            return Ok(Some("the test does not pass when it is run again".to_owned()));
        }
        let project = Project::open(self.workshop.folder())?;
        let mut sources = Vec::new();
        for path in newly.keys() {
            sources.extend(project.read(path)?.map(|source| (path, source)));
        }
        for (path, source) in &sources {
            let commented = format!("{}\n// \n", source.trim_end());
            self.workshop.write(path, &commented, self.cancel).await?;
        }
        let passes = self.passes().await?;
        for (path, source) in &sources {
            self.workshop.write(path, source, self.cancel).await?;
        }
        Ok((!passes).then(|| "the test looks at the text of the program, not at what it does".to_owned()))
    }

    async fn passes(&self) -> Result<bool, Failure> {
        Ok(self
            .workshop
            .run(self.command, self.limit, self.cancel)
            .await?
            .is_good())
    }

    async fn put_tests(&self, which: BrokenVersion) -> Result<(), Failure> {
        for text in self.texts {
            match (&which, &text.old) {
                (New, _) => self.workshop.write(&text.path, &text.new, self.cancel).await?,
                (Old, Some(old)) => self.workshop.write(&text.path, old, self.cancel).await?,
                (Old, None) => self.workshop.remove(&text.path, self.cancel).await?,
            }
        }
        Ok(())
    }
}

use BrokenVersion::{New, Old};

/// The tests that are in the workshop.
enum BrokenVersion {
    /// Those without the patch.
    Old,
    /// Those with the patch.
    New,
}
