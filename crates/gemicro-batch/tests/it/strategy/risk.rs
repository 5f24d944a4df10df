//! What is risky about lines.

use gemicro_batch::coverage::CodeLanguage;
use gemicro_batch::strategy::risk::risks;

fn check_risks(language: CodeLanguage, text: &str, expected: &[(&str, u32, u32)]) {
    let found = risks(language, text);
    let found: Vec<(&str, u32, u32)> = found
        .iter()
        .map(|it| (it.what.as_str(), it.n, it.points))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn words_tell_what_lines_do() {
    use CodeLanguage::{Cpp, Other, Rust};
    check_risks(Rust, "", &[]);
    check_risks(Rust, "let x = 1;\nlet format = iffy;", &[]);
    check_risks(Rust, "if a && b || c { d()? }", &[("branches", 4, 1)]);
    check_risks(
        Rust,
        "let y = unsafe { get_unchecked(x) };",
        &[("unsafe memory", 2, 4)],
    );
    check_risks(Rust, "return Err(x.unwrap())", &[("error paths", 2, 2)]);
    check_risks(
        Rust,
        "x.parse::<u8>() as u32",
        &[("parsing and conversion", 2, 2)],
    );
    // Each language has its own words.
    check_risks(Rust, "throw new x; switch y", &[]);
    check_risks(
        Cpp,
        "switch (x) { case 1: throw new E; }\nunwrap parse?",
        &[
            ("branches", 2, 1),
            ("unsafe memory", 1, 4),
            ("error paths", 1, 2),
            ("parsing and conversion", 1, 2),
        ],
    );
    check_risks(
        Other,
        "match x: throw y",
        &[("branches", 1, 1), ("error paths", 1, 2)],
    );
}

#[test]
fn comments_of_whole_lines_do_not_count() {
    let text = "// if\n/// if\n/* if\n * if\n *\n */\nx(); // if";
    check_risks(CodeLanguage::Cpp, text, &[("branches", 1, 1)]);
    // A pointer at the beginning of a line is no comment.
    check_risks(CodeLanguage::Cpp, "*p = malloc(n);", &[("unsafe memory", 1, 4)]);
    check_risks(
        CodeLanguage::Rust,
        "*x = y.parse()?;",
        &[("branches", 1, 1), ("parsing and conversion", 1, 2)],
    );
}
