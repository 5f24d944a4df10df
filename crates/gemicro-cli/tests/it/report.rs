//! `--report` and `show --html`: one report, two files, nothing from elsewhere.

use std::fs;

use crate::program::World;

const TWO: &str = "How high is the Port Amsel lighthouse, and how many passengers does MV Alder Sound carry?";

#[test]
fn a_report_is_written_as_markdown_and_html() {
    let world = World::new();
    let called = world.ask(TWO, &["--report", "lighthouse"]);
    assert!(
        called.stderr.contains("Wrote lighthouse.md and lighthouse.html"),
        "{}",
        called.stderr
    );
    let markdown = fs::read_to_string(world.path("lighthouse.md")).unwrap();
    assert!(
        markdown.starts_with(&format!("# {TWO}\n\n## Summary\n")),
        "{markdown}"
    );
    assert!(markdown.contains("\n## Sources\n\n1. "), "{markdown}");

    let html = fs::read_to_string(world.path("lighthouse.html")).unwrap();
    let marked: Vec<&str> = html
        .split("<mark>")
        .skip(1)
        .filter_map(|rest| rest.split("</mark>").next())
        .collect();
    assert!(
        marked.iter().any(|quote| quote.contains("31 metres")),
        "{marked:?}"
    );
    assert!(
        marked.iter().any(|quote| quote.contains("435 passengers")),
        "{marked:?}"
    );
    // The quote is shown in its passage.
    assert!(
        html.contains("31 metres high.</mark> It was built in 1874 by Ida Brandt."),
        "{html}"
    );

    let shown = world.must(&["show", "last", "--html"]);
    assert_eq!(shown.stdout, html);
}

#[test]
fn a_report_of_a_question_without_an_answer_has_the_closest_passages() {
    let world = World::new();
    let called = world.ask("Who painted the Port Amsel lighthouse?", &["--report", "r.html"]);
    assert_eq!(called.code, 6, "{}", called.stderr);
    let html = fs::read_to_string(world.path("r.html")).unwrap();
    assert!(html.contains("<h2>Without an answer</h2>"), "{html}");
    assert!(html.contains("Closest passages"), "{html}");
    assert!(!world.path("r.html.html").exists());
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_runs() {
    let world = World::new();
    let called = world.ask(TWO, &["--report", "no/such/r"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(
        called.stderr.contains("no/such/r.md cannot be written"),
        "{}",
        called.stderr
    );
    assert!(world.must(&["runs"]).stdout.lines().count() <= 1);
}

#[test]
fn a_report_does_not_follow_a_link() {
    let world = World::new();
    fs::write(world.path("mine"), "mine").unwrap();
    std::os::unix::fs::symlink("mine", world.path("report.html")).unwrap();
    let called = world.ask(TWO, &["--report", "report"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(
        called.stderr.contains("report.html is a symbolic link"),
        "{}",
        called.stderr
    );
    assert_eq!(fs::read_to_string(world.path("mine")).unwrap(), "mine");
    assert!(!world.path("report.md").exists());
}

#[test]
fn a_page_survives_the_loss_of_the_stored_texts() {
    let world = World::new();
    world.ask(TWO, &[]);
    let blobs = world.path("home").join("blobs");
    fs::remove_dir_all(&blobs).unwrap();
    let shown = world.must(&["show", "last", "--html"]);
    assert!(shown.stdout.contains("31 metres"), "{}", shown.stdout);
    assert!(
        shown
            .stdout
            .contains("The stored text of this document is missing."),
        "{}",
        shown.stdout
    );
}
