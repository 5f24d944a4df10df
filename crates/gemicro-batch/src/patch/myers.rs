//! The difference of two texts in lines, as few as there can be (Myers).

use std::ops::Range;

/// Lines of the old text that lines of the new one stand for. No two touch each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// With more differing lines than this, everything between the first and the last difference counts as replaced:
/// time and memory grow with the square of them.
const MAX_DISTANCE: usize = 1_000;

/// What is replaced by what, in order.
pub(super) fn replaced(old: &[&str], new: &[&str]) -> Vec<Replaced> {
    let n_before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[n_before..], &new[n_before..]);
    let n_after = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let old_middle = &old_rest[..old_rest.len() - n_after];
    let new_middle = &new_rest[..new_rest.len() - n_after];
    let pairs = common_lines(old_middle, new_middle);
    let mut found = Vec::new();
    let (mut old_done, mut new_done) = (0, 0);
    for (old_idx, new_idx) in pairs.into_iter().chain([(old_middle.len(), new_middle.len())]) {
        if old_idx > old_done || new_idx > new_done {
            found.push(Replaced {
                old: n_before + old_done..n_before + old_idx,
                new: n_before + new_done..n_before + new_idx,
            });
        }
        (old_done, new_done) = (old_idx + 1, new_idx + 1);
    }
    found
}

/// The lines that both have in the same order, as pairs of indices: none where they differ too much.
fn common_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let Some(rounds) = furthest(old, new) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    let (mut x, mut y) = (old.len(), new.len());
    for (distance, reached) in rounds.iter().enumerate().rev() {
        let diagonal = x.cast_signed() - y.cast_signed();
        let (start_x, start_y) = match distance {
            0 => (0, 0),
            _ => {
                let before = if goes_down(reached, distance, diagonal) {
                    diagonal + 1
                } else {
                    diagonal - 1
                };
                let before_x = reached[slot(distance, before)];
                (before_x, before_x.saturating_add_signed(-before))
            }
        };
        while x > start_x && y > start_y {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        }
        (x, y) = (start_x, start_y);
    }
    pairs.reverse();
    pairs
}

/// For each distance how far the old lines were gone through on each diagonal one round earlier.
fn furthest(old: &[&str], new: &[&str]) -> Option<Vec<Vec<usize>>> {
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let mut reached = vec![0; 3];
    for distance in 0..=MAX_DISTANCE.min(old.len() + new.len()) {
        // Room for the diagonals beside the outermost ones.
        let mut wider = vec![0; 2 * distance + 3];
        if distance > 0 {
            wider[1..=reached.len()].copy_from_slice(&reached);
        }
        reached = wider;
        rounds.push(reached.clone());
        let edge = distance.cast_signed();
        for diagonal in (-edge..=edge).step_by(2) {
            let mut x = match distance {
                0 => 0,
                _ if goes_down(&reached, distance, diagonal) => reached[slot(distance, diagonal + 1)],
                _ => reached[slot(distance, diagonal - 1)] + 1,
            };
            let mut y = x.saturating_add_signed(-diagonal);
            while x < old.len() && y < new.len() && old[x] == new[y] {
                (x, y) = (x + 1, y + 1);
            }
            reached[slot(distance, diagonal)] = x;
            if x >= old.len() && y >= new.len() {
                return Some(rounds);
            }
        }
    }
    None
}

/// Whether the best way to a diagonal adds a line of the new text rather than leaving out one of the old.
fn goes_down(reached: &[usize], distance: usize, diagonal: isize) -> bool {
    let edge = distance.cast_signed();
    let of = |diagonal: isize| reached[slot(distance, diagonal)];
    diagonal == -edge || (diagonal != edge && of(diagonal - 1) < of(diagonal + 1))
}

fn slot(distance: usize, diagonal: isize) -> usize {
    (distance + 1).saturating_add_signed(diagonal)
}
