//! Serializes line counts as a list of pairs, which stays compact for hundreds of thousands of lines.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(lines: &BTreeMap<u32, u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<u32, u64>, D::Error> {
    let pairs: Vec<(u32, u64)> = Vec::deserialize(deserializer)?;
    Ok(pairs.into_iter().collect())
}
