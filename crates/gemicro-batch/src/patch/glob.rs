//! Patterns of paths that a user gives.

/// Whether a path is meant by a pattern: a file, a folder with all that is in it, or a pattern in which `*` and `?`
/// stand for anything but `/`, and `**` for anything. A pattern without a letter means nothing.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim();
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let folder = pattern.strip_suffix('/').unwrap_or(pattern);
    if folder.is_empty() {
        return false;
    }
    if !pattern.contains(['*', '?']) {
        let is_inside = path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'));
        return is_inside || path == pattern;
    }
    let inside = if pattern.ends_with('/') { "**" } else { "" };
    matches_glob(&format!("{pattern}{inside}"), path)
}

/// One piece of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Letter(char),
    /// `?`
    One,
    /// `*`
    Some,
    /// `**`
    All,
    /// `**/` at the start of a part: any number of folders, also none.
    Folders,
}

fn matches_glob(pattern: &str, path: &str) -> bool {
    let letters: Vec<char> = path.chars().collect();
    // `reached[n]`: the pieces so far can stand for the first n letters.
    let mut reached = vec![false; letters.len() + 1];
    reached[0] = true;
    for piece in pieces(pattern) {
        let mut next = vec![false; letters.len() + 1];
        let mut was_earlier = false;
        for n in 0..=letters.len() {
            let letter = n.checked_sub(1).map(|before| letters[before]);
            let was_before = n > 0 && reached[n - 1];
            let goes_on = n > 0 && next[n - 1];
            next[n] = match piece {
                Piece::Letter(wanted) => was_before && letter == Some(wanted),
                Piece::One => was_before && letter != Some('/'),
                Piece::Some => reached[n] || (goes_on && letter != Some('/')),
                Piece::All => reached[n] || goes_on,
                Piece::Folders => reached[n] || (was_earlier && letter == Some('/')),
            };
            was_earlier |= reached[n];
        }
        reached = next;
    }
    reached[letters.len()]
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let begins_part = matches!(pieces.last(), None | Some(Piece::Letter('/') | Piece::Folders));
        let (piece, n_bytes) = match letter {
            '*' if begins_part && rest.starts_with("**/") => (Piece::Folders, 3),
            '*' if rest.starts_with("**") => (Piece::All, 2),
            '*' => (Piece::Some, 1),
            '?' => (Piece::One, 1),
            other => (Piece::Letter(other), other.len_utf8()),
        };
        pieces.push(piece);
        rest = &rest[n_bytes..];
    }
    pieces
}
