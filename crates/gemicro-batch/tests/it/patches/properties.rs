//! What holds for every answer, every pair of texts and every Rust file.

use gemicro_batch::patch::{NewText, Patch, check_path, tests_only, unified_diff, without_tests};
use proptest::prelude::*;

use super::applied;

/// A text of a few different lines, so that most stand in it several times.
pub(super) fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a", "b", "", "    c", "}", "// d"]);
    let end = prop::sample::select(vec!["", "\n"]);
    (prop::collection::vec(line, 1..25), end)
        .prop_map(|(lines, end)| format!("x\n{}\ny{end}", lines.join("\n")))
}

/// Pieces of which answers with diffs consist.
fn answer() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "```diff\n",
        "```\n",
        "diff --git a/x b/x\n",
        "--- a/x\n",
        "+++ b/x\n",
        "--- /dev/null\n",
        "+++ b/../y\n",
        "@@ -1,2 +1,3 @@\n",
        "@@\n",
        "+a\n",
        "-b\n",
        " c\n",
        "\n",
        "prose\n",
        "\\ No newline at end of file\n",
        "new file mode 100644\n",
        "+++ /dev/null\n",
        "\r\n",
        "+++ \"b/\\303\\274\"\n",
        "ü",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Pieces of which Rust files consist, and what a careless reader takes for them.
fn rust() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "#[cfg(test)]\n",
        "mod t {\n",
        "}\n",
        "fn a() {}\n",
        "fn b() {",
        "// #[cfg(test)]\n",
        "\"#[cfg(test)]\"",
        "r#\"",
        "\"#",
        "'a",
        "'\"'",
        "/*",
        "*/",
        "#[cfg(not(test))]\n",
        "#[cfg(all(test, unix))]\n",
        "#![cfg(test)]\n",
        "m! {",
        "use x;\n",
        "#[inline]\n",
        "#[odd]\n",
        "#",
        "[",
        "]",
        "(",
        ")",
        ";",
        "pub ",
        "\n\n",
        "struct S;\n",
        "impl ",
        "const X: u8 = {1};\n",
    ]);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = Patch::from_answer(&text).map_err(|error| assert!(!error.to_string().is_empty()));
        let _ = without_tests(&text);
        let _ = check_path(&text);
    }

    #[test]
    fn what_is_read_is_safe_and_applies_or_not(answer in answer(), old in text()) {
        if let Ok(patch) = Patch::from_answer(&answer) {
            prop_assert!(patch.files.iter().all(|file| check_path(&file.path).is_ok()));
            for old in [None, Some(old)] {
                let _ = patch.apply(|_| Ok::<_, String>(old.clone()));
            }
        }
    }

    /// What is written is read and applied as it was.
    #[test]
    fn there_and_back(old in text(), new in text()) {
        prop_assume!(old != new);
        let change = NewText { path: "f".to_owned(), old: Some(old.clone()), new: new.clone() };
        let diff = unified_diff(&[change]);
        prop_assert_eq!(&applied(&diff, "f", &old), &new, "{}", &diff);
        prop_assert_eq!(&applied(&format!("Text.\n```diff\n{diff}```\n"), "f", &old), &new);
        let windows = |text: &str| text.replace('\n', "\r\n");
        prop_assert_eq!(applied(&diff, "f", &windows(&old)), windows(&new));
    }

    #[test]
    fn stripping_twice_is_stripping_once(text in rust()) {
        let stripped = without_tests(&text);
        prop_assert_eq!(without_tests(&stripped), stripped);
    }

    /// Every line of the stripped text is one of the text: nothing is made up, and nothing comes twice.
    #[test]
    fn stripping_only_removes(text in rust()) {
        let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<Vec<_>>();
        let all = letters(&text);
        let mut rest = all.iter();
        prop_assert!(letters(&without_tests(&text)).iter().all(|letter| rest.any(|other| other == letter)));
    }

    /// A test put between two items changes nothing but tests; the same item without its attribute does.
    #[test]
    fn tests_may_come_and_go(before in 0..4_usize, after in 0..4_usize) {
        let items = |n: usize, name: &str| (0..n).map(|idx| format!("fn {name}{idx}() {{ \"}}\"; }}\n\n")).collect::<String>();
        let (before, after) = (items(before, "b"), items(after, "a"));
        let item = "mod tests {\n    use super::*;\n\n    #[test]\n    fn t() { assert!('}' == '}'); }\n}\n";
        let old = format!("{before}{after}");
        let is_test = |new: String| {
            tests_only(&[NewText { path: "src/x.rs".to_owned(), old: Some(old.clone()), new }], &[]).is_ok()
        };
        let with = |attribute: &str| is_test([&before, attribute, item, "\n", &after].concat());
        prop_assert!(with("#[cfg(test)]\n"));
        prop_assert!(!with(""));
        prop_assert!(!with("#[cfg(not(test))]\n"));
    }
}
