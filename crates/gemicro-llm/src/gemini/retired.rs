//! Models that are gone or going, and what to use instead. State of November 2026.

/// Start of the id, and the named replacement. The first row that fits counts.
const REPLACEMENTS: &[(&str, &str)] = &[
    ("gemini-3-flash-preview", "gemini-3.5-flash"),
    ("gemini-3-pro-preview", "gemini-3.1-pro-preview"),
    ("gemini-2.5-pro", "gemini-3.1-pro-preview"),
    ("gemini-2.5-flash-lite", "gemini-3.5-flash-lite"),
    ("gemini-2.5-flash", "gemini-3.8-flash"),
    ("gemini-2.0-flash-lite", "gemini-3.5-flash-lite"),
    ("gemini-2.0", "gemini-3.8-flash"),
    ("gemini-1.", "gemini-3.8-flash"),
];

/// What to use instead of a model, where it is known.
pub(super) fn replacement(model: &str) -> Option<&'static str> {
    let id = model.strip_prefix("models/").unwrap_or(model);
    let row = REPLACEMENTS.iter().find(|(start, _)| id.starts_with(start));
    row.map(|(_, instead)| *instead)
}
