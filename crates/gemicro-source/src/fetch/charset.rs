//! Finds the encoding that a page declares for itself: [`named_in`].

/// Number of bytes in which a page must declare its encoding; browsers use the same limit.
const PROBE_BYTES: usize = 1024;

/// The label in `<meta charset=…>`, `<meta … content="…; charset=…">` or `<?xml … encoding=…?>`.
pub(super) fn named_in(page: &[u8]) -> Option<String> {
    let probe = &page[..page.len().min(PROBE_BYTES)];
    let probe = String::from_utf8_lossy(probe).to_ascii_lowercase();
    let declaration = probe.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    if let Some(label) = declaration.and_then(|(inside, _)| value_of(inside, "encoding")) {
        return Some(label);
    }
    let mut tags = probe.split("<meta").skip(1);
    let label = tags.find_map(|rest| value_of(rest.split('>').next()?, "charset"))?;
    // A declaration that is readable byte by byte cannot be in a UTF-16 page.
    if label.starts_with("utf-16") {
        None
    } else {
        Some(label)
    }
}

fn value_of(text: &str, name: &str) -> Option<String> {
    text.match_indices(name).find_map(|(at, _)| {
        let rest = text[at + name.len()..].trim_start().strip_prefix('=')?;
        let rest = rest.trim_start().trim_start_matches(['"', '\'']);
        let label = rest
            .split(|c: char| c.is_whitespace() || "\"';/>?".contains(c))
            .next()?;
        (!label.is_empty()).then(|| label.to_owned())
    })
}
