//! Where some lines stand in a file: every place, in one pass.

/// What a search found.
#[derive(Debug, Default)]
pub(super) struct HunkMatch {
    /// The first lines of all places, from 0, in order; places may overlap.
    pub(super) places: Vec<usize>,
    /// The most lines that fitted anywhere before one did not.
    pub(super) n_fitting: usize,
    /// Where those fitted, the nearest to the line that was asked for.
    pub(super) best: usize,
}

/// Looks for `wanted` in `lines` (Knuth, Morris and Pratt). `near` says which of the equally good places counts when
/// there is no whole one.
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

/// For each number of fitting lines, how many of them still fit one place further on.
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
