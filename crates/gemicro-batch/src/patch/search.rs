//! Finds all occurrences of some lines in a file, in one pass.

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct HunkMatch {
    /// The first lines of all occurrences, from 0, in order; they may overlap.
    pub(super) places: Vec<usize>,
    /// Length of the longest partial match.
    pub(super) n_fitting: usize,
    /// Position of that match, the one nearest to the requested line.
    pub(super) best: usize,
}

/// Searches for `wanted` in `lines` (Knuth, Morris and Pratt). `near` chooses among equally good partial matches.
pub(super) fn search(lines: &[&str], wanted: &[&str], near: usize) -> HunkMatch {
    let mut found = HunkMatch {
        best: near,
        ..HunkMatch::default()
    };
    if wanted.is_empty() {
        return found;
    }
    let fallback = fallbacks(wanted);
    let mut n_fitting = 0;
    for (idx, line) in lines.iter().enumerate() {
        while n_fitting > 0 && (n_fitting == wanted.len() || wanted[n_fitting] != *line) {
            n_fitting = fallback[n_fitting - 1];
        }
        if wanted[n_fitting] == *line {
            n_fitting += 1;
        }
        let place = idx + 1 - n_fitting;
        let is_nearer = n_fitting == found.n_fitting && place.abs_diff(near) < found.best.abs_diff(near);
        if n_fitting > found.n_fitting || (n_fitting > 0 && is_nearer) {
            (found.n_fitting, found.best) = (n_fitting, place);
        }
        if n_fitting == wanted.len() {
            found.places.push(place);
        }
    }
    found
}

/// For each number of matched lines, how many still match after a shift (the KMP failure function).
fn fallbacks(wanted: &[&str]) -> Vec<usize> {
    let mut fallbacks = vec![0; wanted.len()];
    let mut n_fitting = 0;
    for idx in 1..wanted.len() {
        while n_fitting > 0 && wanted[n_fitting] != wanted[idx] {
            n_fitting = fallbacks[n_fitting - 1];
        }
        if wanted[n_fitting] == wanted[idx] {
            n_fitting += 1;
        }
        fallbacks[idx] = n_fitting;
    }
    fallbacks
}
