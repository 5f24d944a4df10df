//! Decides which commit of a chain is checked next: the last one first, then by bisection, then the rest.

/// The next move. Position 0 is the target itself, position `n` the `n`-th merge commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextMove {
    /// Run the checks on the commit at this position.
    Check(usize),
    /// The branch at this position is the one whose merge makes the checks fail.
    TakeOut(usize),
    /// The checks already fail on the target.
    TargetFails,
    /// Every commit of the chain passed.
    Land,
}

/// The next move for a chain of `n` commits; `passed` gives the verdict about a position, if there is one.
#[must_use]
pub fn find_next(n: usize, passed: impl Fn(usize) -> Option<bool>) -> NextMove {
    let Some(red) = (1..=n).find(|at| passed(*at) == Some(false)) else {
        let unknown = |at: &usize| passed(*at).is_none();
        return match Some(n).filter(unknown).or_else(|| (1..n).find(unknown)) {
            Some(at) if n > 0 => NextMove::Check(at),
            Some(_) | None => NextMove::Land,
        };
    };
    let green = (1..red).rev().find(|at| passed(*at) == Some(true)).unwrap_or(0);
    match (red - green, green, passed(0)) {
        (1, 0, None) => NextMove::Check(0),
        (1, 0, Some(false)) => NextMove::TargetFails,
        (1, ..) => NextMove::TakeOut(red),
        _ => NextMove::Check(green.midpoint(red)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// Plays a whole queue. A commit fails if it contains a bad branch; gives what landed, what was taken out, and the
    /// number of checks.
    fn play(branches: Vec<usize>, bad: &BTreeSet<usize>) -> (Vec<usize>, Vec<usize>, usize) {
        let (mut queue, mut out, mut verdicts) = (branches, Vec::new(), BTreeMap::new());
        loop {
            let known = verdicts.clone();
            let passed = |at: usize| known.get(&queue[..at]).copied();
            match find_next(queue.len(), passed) {
                NextMove::Check(at) => {
                    let is_good = !queue[..at].iter().any(|branch| bad.contains(branch));
                    let earlier = verdicts.insert(queue[..at].to_vec(), is_good);
                    assert_eq!(earlier, None, "checked twice");
                }
                NextMove::TakeOut(at) => out.push(queue.remove(at - 1)),
                NextMove::TargetFails => panic!("the target is good"),
                NextMove::Land => {
                    for at in 1..=queue.len() {
                        assert_eq!(verdicts.get(&queue[..at]), Some(&true), "an unchecked commit");
                    }
                    return (queue, out, verdicts.len());
                }
            }
        }
    }

    #[test]
    fn moves() {
        let table: [(&str, NextMove); 11] = [
            ("", NextMove::Land),
            ("?", NextMove::Check(1)),
            ("????", NextMove::Check(4)),
            ("???+", NextMove::Check(1)),
            ("+??+", NextMove::Check(2)),
            ("++++", NextMove::Land),
            ("???-", NextMove::Check(2)),
            ("?+?-", NextMove::Check(3)),
            ("?+-?", NextMove::TakeOut(3)),
            ("-???", NextMove::Check(0)),
            ("+-?+", NextMove::TakeOut(2)),
        ];
        for (verdicts, expected) in table {
            let passed = |at: usize| match verdicts.as_bytes().get(at.checked_sub(1)?)? {
                b'+' => Some(true),
                b'-' => Some(false),
                _ => None,
            };
            assert_eq!(find_next(verdicts.len(), passed), expected, "{verdicts}");
        }
        assert_eq!(
            find_next(2, |at| [Some(false), Some(false), None][at]),
            NextMove::TargetFails
        );
    }

    proptest! {
        #[test]
        fn every_good_branch_lands_and_every_bad_one_is_named(n in 0_usize..12, bits in any::<u16>()) {
            let bad: BTreeSet<usize> = (0..n).filter(|it| bits >> it & 1 == 1).collect();
            let (landed, out, n_checks) = play((0..n).collect(), &bad);
            let good: Vec<usize> = (0..n).filter(|it| !bad.contains(it)).collect();
            prop_assert_eq!(landed, good);
            prop_assert_eq!(out.into_iter().collect::<BTreeSet<_>>(), bad.clone());
            prop_assert!(n_checks <= n + 1 + bad.len() * 5, "{} checks", n_checks);
        }
    }
}
