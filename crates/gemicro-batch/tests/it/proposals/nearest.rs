//! Which tests stand nearest to a file.

use gemicro_batch::proposal::ProposalAim;

use super::material::{Folder, range};

/// The tests that are shown for a file, in their order.
async fn check(target: &str, tests: &[(&str, &str)], expected: &[&str]) {
    let folder = Folder::new();
    folder.write(target, "x\n");
    for (path, text) in tests {
        folder.write(path, text);
    }
    let material = folder
        .gathered(target, ProposalAim::Lines(vec![range(1, 1)]))
        .await
        .unwrap();
    let shown: Vec<&str> = material.neighbours.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(shown, expected, "{target}");
}

#[tokio::test]
async fn names_come_first_then_words_then_folders() {
    check(
        "src/deep/parser.rs",
        &[
            ("tests/a.rs", "nothing"),
            ("tests/b.rs", "use x::parser;"),
            ("tests/c.rs", "use x::parsers;"),
            ("tests/parser_test.rs", "nothing"),
            ("src/deep/other_tests.rs", "nothing"),
        ],
        &["tests/parser_test.rs", "tests/b.rs", "src/deep/other_tests.rs"],
    )
    .await;
}

#[tokio::test]
async fn names_of_tests_tell_what_they_test() {
    for test in [
        "test_parser.cpp",
        "parser_tests.cc",
        "parserTest.cpp",
        "parser.test.cpp",
        "parser/tests.cpp",
    ] {
        let test = format!("zzz/test/{test}");
        let tests = [
            ("test/a.cpp", "x"),
            ("test/b.cpp", "x"),
            ("test/c.cpp", "x"),
            (test.as_str(), "x"),
        ];
        check("lib/parser.hpp", &tests, &[&test, "test/a.cpp", "test/b.cpp"]).await;
    }
    // A file named `mod` is called after its folder.
    check(
        "src/parser/mod.rs",
        &[
            ("tests/a.rs", "x"),
            ("tests/mod.rs", "x"),
            ("tests/parser.rs", "x"),
        ],
        &["tests/parser.rs", "tests/a.rs", "tests/mod.rs"],
    )
    .await;
}

#[tokio::test]
async fn only_tests_of_the_language_count() {
    check(
        "src/a.rs",
        &[
            ("tests/a.cpp", "a"),
            ("src/b.rs", "a"),
            ("target/tests/a.rs", "a"),
            ("tests/data.json", "a"),
        ],
        &[],
    )
    .await;
    // A test that is to be covered itself is no neighbour.
    check("tests/a.rs", &[("tests/b.rs", "x")], &["tests/b.rs"]).await;
}

#[tokio::test]
async fn the_nearest_of_very_many_is_found() {
    let names: Vec<String> = (0..250).map(|n| format!("tests/a{n:03}.rs")).collect();
    let mut tests: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    tests.push(("tests/zebra.rs", "x"));
    check(
        "src/zebra.rs",
        &tests,
        &["tests/zebra.rs", "tests/a000.rs", "tests/a001.rs"],
    )
    .await;
}

#[tokio::test]
async fn a_long_test_is_cut_at_a_letter() {
    let folder = Folder::new();
    folder.write("src/a.rs", "x\n");
    folder.write("tests/a.rs", &format!("x{}", "ü".repeat(7_000)));
    let material = folder
        .gathered("src/a.rs", ProposalAim::Lines(vec![range(1, 1)]))
        .await
        .unwrap();
    let test = &material.neighbours[0];
    assert_eq!((test.text.len(), test.is_cut), (12 * 1024 - 1, true));
    assert!(
        material
            .prompt_text()
            .contains("\nAn existing test (its beginning):\n")
    );
}
