//! Compares a developer's work with the plan: [`faults`] returns what is missing.
//!
//! It reads two trees, the base and the tip of the work, through [`TreeFiles`]: files from commits, never from a
//! folder that an agent can write. Checks (see `suite`) and verdicts are not examined here.

mod release;
mod report;

use super::plan_block::PlanBlock;

/// The files of one commit.
pub trait TreeFiles {
    /// Returns the content of a regular file, or `None` if it does not exist. The path is relative to the root and
    /// may be any text.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// The folder of gemicro's documents. They mention tests without containing any.
const DOCUMENTS: &str = "docs/dev_docs/";

/// Returns what the work lacks; empty if it follows the plan.
pub fn faults(
    plan: &PlanBlock,
    base: &dyn TreeFiles,
    tip: &dyn TreeFiles,
    verification_path: &str,
) -> Vec<String> {
    let trees = WorkTrees { base, tip };
    let mut faults = Vec::new();
    faults.extend(
        plan.deliverables
            .iter()
            .filter_map(|path| trees.file("deliverable", path)),
    );
    faults.extend(plan.docs.iter().filter_map(|path| trees.file("document", path)));
    faults.extend(release::faults(plan, &trees));
    faults.extend(
        plan.tests
            .iter()
            .filter_map(|test| missing_test(test, plan, &trees)),
    );
    faults.extend(report::faults(&plan.checklist, &trees, verification_path));
    faults
}

/// The base and the tip of the work.
struct WorkTrees<'t> {
    base: &'t dyn TreeFiles,
    tip: &'t dyn TreeFiles,
}

impl WorkTrees<'_> {
    /// Returns what is wrong with a file named in the plan.
    fn file(&self, what: &str, planned: &str) -> Option<String> {
        if let Some(path) = planned.strip_prefix('-') {
            if self.tip.read(path).is_some() {
                return Some(format!(
                    "the plan deletes `{path}`, but it still exists: delete it"
                ));
            }
            let was_there = self.base.read(path).is_some();
            return (!was_there)
                .then(|| format!("the plan deletes `{path}`, which did not exist before: correct the plan"));
        }
        match (self.base.read(planned), self.tip.read(planned)) {
            (_, None) => Some(format!(
                "the {what} `{planned}` does not exist: create it and commit it"
            )),
            (Some(before), Some(after)) if before == after => Some(format!(
                "the {what} `{planned}` was not changed: the plan says it will be"
            )),
            (Some(_) | None, Some(_)) => None,
        }
    }

    /// Returns true if a file is new at the tip or differs from the base.
    fn is_changed(&self, path: &str) -> bool {
        let now = self.tip.read(path);
        now.is_some() && now != self.base.read(path)
    }
}

/// Reports a planned test that is neither a file nor named in a changed file.
fn missing_test(test: &str, plan: &PlanBlock, trees: &WorkTrees<'_>) -> Option<String> {
    let test = test.trim();
    if trees.tip.read(test).is_some() {
        return None;
    }
    if let Some((path, name)) = test.split_once("::")
        && let Some(content) = trees.tip.read(path)
    {
        let name = name.rsplit("::").next().unwrap_or(name);
        return (!is_named(name, &content))
            .then(|| format!("the test `{test}` is missing: `{path}` has no `{name}`"));
    }
    let name = test.rsplit("::").next().unwrap_or(test);
    let files_of_tests = plan
        .tests
        .iter()
        .map(|test| test.split("::").next().unwrap_or(test));
    let mut changed = plan
        .deliverables
        .iter()
        .map(String::as_str)
        .chain(files_of_tests)
        .filter(|path| !path.starts_with(DOCUMENTS) && trees.is_changed(path))
        .filter_map(|path| trees.tip.read(path));
    let is_there = changed.any(|content| is_named(name, &content));
    (!is_there).then(|| {
        format!(
            "the test `{test}` is missing: it is not a file, and no changed deliverable contains this name"
        )
    })
}

/// Returns true if the text contains the name as a whole word.
fn is_named(name: &str, content: &[u8]) -> bool {
    let text = String::from_utf8_lossy(content);
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
        })
}

#[cfg(test)]
mod tests;
