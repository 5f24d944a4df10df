//! The parts of an export that are kept.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, SeqAccess, Visitor};

use crate::coverage::bounds::MAX_COUNT;
use crate::coverage::read::count::{of_float, of_number};
use crate::coverage::read::segments::{CoverageSegment, SegmentLines};

#[derive(Debug, Deserialize)]
pub(super) struct FileEntry {
    pub(super) filename: LossyName,
    #[serde(default)]
    pub(super) segments: FileLines,
}

/// A function, or one instance of it.
#[derive(Debug, Deserialize)]
pub(super) struct FunctionEntry {
    pub(super) name: LossyName,
    pub(super) count: Number,
    pub(super) filenames: Vec<LossyName>,
    pub(super) regions: SegmentStart,
}

/// A string that need not be valid UTF-8.
#[derive(Debug)]
pub(super) struct LossyName(pub(super) Vec<u8>);

/// The lines of a file, computed from its segments.
#[derive(Debug, Default)]
pub(super) struct FileLines(pub(super) Vec<(u32, u64)>);

/// The first line of a function in its own file.
#[derive(Debug)]
pub(super) struct SegmentStart(pub(super) Option<u32>);

#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Whole(u64),
    Negative,
    Float(f64),
}

impl Number {
    pub(super) fn as_count(self) -> u64 {
        match self {
            Self::Whole(count) => count.min(MAX_COUNT),
            Self::Negative => 0,
            Self::Float(count) => of_float(count),
        }
    }

    fn as_line<E: Error>(self) -> Result<Option<u32>, E> {
        match self {
            Self::Whole(number) => of_number(number).map_err(E::custom),
            Self::Negative | Self::Float(_) => Err(E::custom("expected the number of a line")),
        }
    }
}

impl<'de> Deserialize<'de> for LossyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = LossyName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<LossyName, E> {
                Ok(LossyName(text.as_bytes().to_owned()))
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<LossyName, E> {
                Ok(LossyName(bytes.to_owned()))
            }
        }
        deserializer.deserialize_bytes(NameVisitor)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl Visitor<'_> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                Ok(Number::Whole(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
                Ok(u64::try_from(number).map_or(Number::Negative, Number::Whole))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
                Ok(Number::Float(number))
            }

            // Some versions of the export write booleans, others 1 and 0.
            fn visit_bool<E: Error>(self, is_set: bool) -> Result<Number, E> {
                Ok(Number::Whole(u64::from(is_set)))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl<'de> Deserialize<'de> for FileLines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LinesVisitor;
        impl<'de> Visitor<'de> for LinesVisitor {
            type Value = FileLines;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of segments")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<FileLines, A::Error> {
                let mut lines = Vec::new();
                let mut segments = SegmentLines::default();
                while let Some(ValueRow(row)) = seq.next_element::<ValueRow<6>>()? {
                    let part = |idx: usize| {
                        row[idx].ok_or_else(|| A::Error::custom("a segment has five parts or more"))
                    };
                    let is_set = |number: Number| number.as_count() > 0;
                    let segment = CoverageSegment {
                        line: part(0)?.as_line()?.unwrap_or(0),
                        count: part(2)?.as_count(),
                        has_count: is_set(part(3)?),
                        is_entry: is_set(part(4)?),
                        is_gap: row[5].is_some_and(is_set),
                    };
                    segments.take(segment, &mut lines).map_err(A::Error::custom)?;
                }
                segments.finish(&mut lines);
                lines.retain(|(line, _)| *line > 0);
                Ok(FileLines(lines))
            }
        }
        deserializer.deserialize_seq(LinesVisitor)
    }
}

impl<'de> Deserialize<'de> for SegmentStart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BeginVisitor;
        impl<'de> Visitor<'de> for BeginVisitor {
            type Value = SegmentStart;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of regions")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<SegmentStart, A::Error> {
                let mut begin = None;
                while let Some(ValueRow(row)) = seq.next_element::<ValueRow<6>>()? {
                    // The sixth element is the file index; 0 is the function's own file.
                    let is_own = row[5].is_none_or(|number| number.as_count() == 0);
                    if let (None, true, Some(line)) = (begin, is_own, row[0]) {
                        begin = line.as_line()?;
                    }
                }
                Ok(SegmentStart(begin))
            }
        }
        deserializer.deserialize_seq(BeginVisitor)
    }
}

/// The first `N` elements of a list of numbers and booleans.
struct ValueRow<const N: usize>([Option<Number>; N]);

impl<'de, const N: usize> Deserialize<'de> for ValueRow<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor<const N: usize>;
        impl<'de, const N: usize> Visitor<'de> for RowVisitor<N> {
            type Value = ValueRow<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ValueRow<N>, A::Error> {
                let mut row = [None; N];
                for part in &mut row {
                    *part = seq.next_element()?;
                }
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(ValueRow(row))
            }
        }
        deserializer.deserialize_seq(RowVisitor::<N>)
    }
}
