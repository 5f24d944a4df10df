//! Lines with their counts on the wire: pairs in one list, as journals keep them by the hundred thousand.

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
