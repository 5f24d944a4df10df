//! Answers quickly whether strings occur in a text.

/// An index of the places of all four-byte pieces of a text.
///
/// A ledger has thousands of facts and a prompt tens of kilobytes; searching each fact from the start would
/// take most of the time of a compaction.
#[derive(Debug)]
pub(in crate::history) struct Finder<'a> {
    text: &'a [u8],
    /// Where the places of a bucket start in `places`.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl<'a> Finder<'a> {
    const BUCKETS: usize = 1 << 15;
    const PIECE: usize = 4;

    pub(in crate::history) fn new(text: &'a str) -> Self {
        let text = text.as_bytes();
        let mut starts = vec![0_u32; Self::BUCKETS + 1];
        for piece in text.windows(Self::PIECE) {
            starts[bucket(piece) + 1] += 1;
        }
        for idx in 0..Self::BUCKETS {
            starts[idx + 1] += starts[idx];
        }
        let mut next = starts.clone();
        let mut places = vec![0_u32; text.len().saturating_sub(Self::PIECE - 1)];
        for (place, piece) in (0_u32..).zip(text.windows(Self::PIECE)) {
            let slot = &mut next[bucket(piece)];
            places[*slot as usize] = place;
            *slot += 1;
        }
        Self { text, starts, places }
    }

    pub(in crate::history) fn contains(&self, needle: &str) -> bool {
        let needle = needle.as_bytes();
        if needle.len() < Self::PIECE {
            return needle.is_empty() || self.text.windows(needle.len()).any(|window| window == needle);
        }
        // The last piece tells more than the first: listings share their beginnings.
        let offset = needle.len() - Self::PIECE;
        let bucket = bucket(&needle[offset..]);
        let places = &self.places[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
        places.iter().any(|&place| {
            let place = place as usize;
            place >= offset && self.text[place - offset..].starts_with(needle)
        })
    }
}

fn bucket(piece: &[u8]) -> usize {
    let word = piece
        .iter()
        .fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
    (word.wrapping_mul(0x9e37_79b1) >> 17) as usize
}
