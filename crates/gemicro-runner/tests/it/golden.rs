//! Comparing with files in `tests/golden`; `GEMICRO_BLESS=1` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

/// Whether the text is that of the golden file.
pub(crate) fn matches(name: &str, text: &str) -> bool {
    let path = folder("golden").join(name);
    if std::env::var_os("GEMICRO_BLESS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    golden == text || (name.ends_with(".jsonl") && values(&golden) == values(text))
}

/// The lines as JSON: the order of keys says nothing.
fn values(text: &str) -> Vec<serde_json::Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A folder of the tests.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}
