//! Answers quickly whether strings occur in a text.

/// An index of all four-byte sequences of a text.
///
/// A ledger has thousands of facts and a prompt tens of kilobytes; without the index, searching each fact would take
/// most of the time of a compaction.
#[derive(Debug)]
pub(in crate::history) struct Finder<'a> {
    text: &'a str,
    /// Start of each bucket in `places`.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl<'a> Finder<'a> {
    const BUCKETS: usize = 1 << 15;
    const PIECE: usize = 4;

    pub(in crate::history) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0_u32; Self::BUCKETS + 1];
        for piece in bytes.windows(Self::PIECE) {
            starts[bucket(piece) + 1] += 1;
        }
        for idx in 0..Self::BUCKETS {
            starts[idx + 1] += starts[idx];
        }
        let mut next = starts.clone();
        let mut places = vec![0_u32; bytes.len().saturating_sub(Self::PIECE - 1)];
        for (place, piece) in (0_u32..).zip(bytes.windows(Self::PIECE)) {
            let slot = &mut next[bucket(piece)];
            places[*slot as usize] = place;
            *slot += 1;
        }
        Self { text, starts, places }
    }

    pub(in crate::history) fn contains(&self, needle: &str) -> bool {
        if needle.len() < Self::PIECE {
            return self.text.contains(needle);
        }
        let needle = needle.as_bytes();
        let text = self.text.as_bytes();
        // Facts in listings share prefixes, and amounts share units: check the rarest of three sequences.
        let last = needle.len() - Self::PIECE;
        let rarest = [last, last / 2, 0]
            .map(|offset| (offset, self.places_of(&needle[offset..offset + Self::PIECE])))
            .into_iter()
            .min_by_key(|(_, places)| places.len());
        rarest.is_some_and(|(offset, places)| {
            places.iter().any(|&place| {
                let place = place as usize;
                place >= offset && text[place - offset..].starts_with(needle)
            })
        })
    }

    /// Offsets at which this sequence may start.
    fn places_of(&self, piece: &[u8]) -> &[u32] {
        let bucket = bucket(piece);
        &self.places[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

fn bucket(piece: &[u8]) -> usize {
    let word = piece
        .iter()
        .fold(0_u32, |word, byte| (word << 8) | u32::from(*byte));
    (word.wrapping_mul(0x9e37_79b1) >> 17) as usize
}
