//! Places in the archive.

use super::{ArchiveMove, archive_moves, archive_path};
use crate::documents::Feature;

const DATE: &str = "2026-11-16";

fn feature() -> Feature {
    Feature::parse("dark-mode").unwrap()
}

#[test]
fn the_feature_is_said_once() {
    let cases = [
        ("plans/plan_dark_mode.md", "plans/2026-11-16_dark_mode_plan.md"),
        (
            "reviews/code_review_dark_mode_v2.md",
            "reviews/2026-11-16_dark_mode_code_review_v2.md",
        ),
        (
            "research/research_report_dark_mode.md",
            "research/2026-11-16_dark_mode_research_report.md",
        ),
        ("plans/x.md", "plans/2026-11-16_dark_mode_x.md"),
        ("plans/dark_mode.md", "plans/2026-11-16_dark_mode.md"),
        (
            "plans/plan_dark_modes.md",
            "plans/2026-11-16_dark_mode_plan_dark_modes.md",
        ),
        ("plans/deep/plan", "plans/deep/2026-11-16_dark_mode_plan"),
        ("plans/.hidden", "plans/2026-11-16_dark_mode_.hidden"),
    ];
    for (from, to) in cases {
        let expected = format!("docs/dev_docs/archived/{to}");
        assert_eq!(
            archive_path(&format!("docs/dev_docs/{from}"), &feature(), DATE),
            Some(expected),
            "{from}"
        );
    }
}

#[test]
fn other_paths_stay() {
    let paths = [
        "docs/dev_docs/backlog.md",
        "docs/dev_docs/archived/plans/x.md",
        "docs/dev_docs/plans/",
        "docs/dev_docs/plans",
        "docs/dev_docs/plans/../../../x.md",
        "docs/dev_docs/plans//x.md",
        "docs/dev_docs/plans/a\\b.md",
        "docs/dev_docs/plans/a\nb.md",
        "/docs/dev_docs/plans/x.md",
        "src/plans/x.md",
        "",
    ];
    for path in paths {
        assert_eq!(archive_path(path, &feature(), DATE), None, "{path}");
    }
    for date in [
        "",
        "today",
        "2026-1-1",
        "2026/11/16",
        "../../../..",
        "20261116",
        "２026-11-16",
    ] {
        assert_eq!(
            archive_path("docs/dev_docs/plans/x.md", &feature(), date),
            None,
            "{date}"
        );
    }
}

#[test]
fn no_two_documents_meet() {
    let paths: Vec<String> = [
        "docs/dev_docs/plans/plan_dark_mode.md",
        "docs/dev_docs/plans/plan.md",
        "docs/dev_docs/plans/dark_mode_plan.md",
        "docs/dev_docs/plans/plan.md",
        "src/main.rs",
        "docs/dev_docs/reviews/plan.md",
    ]
    .map(str::to_owned)
    .to_vec();
    let taken = "docs/dev_docs/archived/plans/2026-11-16_dark_mode_plan_2.md";
    let moves = archive_moves(&paths, &feature(), DATE, |place| place == taken);
    let expected = [
        (0, "plans/2026-11-16_dark_mode_plan.md"),
        (1, "plans/2026-11-16_dark_mode_plan_3.md"),
        (2, "plans/2026-11-16_dark_mode_plan_4.md"),
        (5, "reviews/2026-11-16_dark_mode_plan.md"),
    ]
    .map(|(idx, to)| ArchiveMove {
        from: paths[idx].clone(),
        to: format!("docs/dev_docs/archived/{to}"),
    });
    assert_eq!(moves, expected);
}
