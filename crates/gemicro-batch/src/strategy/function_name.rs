//! Readable function names. Reports often have mangled names; the source has the real ones.

/// Maximum distance between a line and the declaration of its function.
const FAR: usize = 200;

/// The name of the function that contains a line: as reported, or from the source if the reported name is mangled.
pub(super) fn readable(reported: &str, lines: &[&str], line: u32) -> Option<String> {
    if !is_of_the_linker(reported) {
        return Some(reported.to_owned());
    }
    let above = lines.get(..line as usize)?.iter().rev().take(FAR);
    above.copied().find_map(declared_name)
}

fn is_of_the_linker(name: &str) -> bool {
    let bare = name.rsplit(':').next().unwrap_or(name).trim_start_matches('_');
    name.starts_with("_R") || name.starts_with("_Z") || bare.starts_with("ZN")
}

/// The name of the function that a line declares: `fn name` in Rust; in C++ the name in an unindented line that ends
/// with `{`.
fn declared_name(line: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if let Some((before, after)) = line.split_once("fn ") {
        let name: String = after.chars().take_while(|c| is_name(*c)).collect();
        let is_word = before.is_empty() || before.ends_with(|c: char| !is_name(c));
        return (is_word && !name.is_empty()).then_some(name);
    }
    let begins = line.starts_with(is_name) && line.trim_end().ends_with('{');
    let (before, _) = line.split_once('(').filter(|_| begins)?;
    let name = before.rsplit(|c: char| !is_name(c) && c != ':').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_of_the_linker_are_replaced_by_those_of_the_source() {
        let rust = [
            "pub fn price(grams: u32) -> u32 {",
            "    let x = grams;",
            "    grams.map(|g| {",
            "        g",
        ];
        assert_eq!(
            readable("_RNvCs1_7postage5price", &rust, 4).as_deref(),
            Some("price")
        );
        let cpp = [
            "std::string mzn::to_text(const Variable& v) {",
            "    if (v.x) {",
            "        return 1;",
        ];
        assert_eq!(
            readable("_ZN3mzn7to_textE", &cpp, 3).as_deref(),
            Some("mzn::to_text")
        );
        assert_eq!(readable("mzn::to_text", &cpp, 3).as_deref(), Some("mzn::to_text"));
        assert_eq!(readable("_ZN3mzn7to_textE", &["}", "x"], 2), None);
    }
}
