//! Questions answered from PDF, office files, books and mail, each read in a process of its own.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::World;

/// Question, document of the citation, and words of the quote.
const QUESTIONS: [(&str, &str, &str); 9] = [
    (
        "How long is the deck of the Lantern Bridge?",
        "report.pdf, page 2",
        "418 metres",
    ),
    (
        "How many minutes does the ferry Silver Tern need to cross the sound?",
        "ferry.docx",
        "42 minutes",
    ),
    (
        "How long does the lock at Brandt Weir take to fill?",
        "lock.odt",
        "eleven minutes",
    ),
    (
        "How many tonnes does the dredger Mole remove per day?",
        "harbour.pptx, slide 2",
        "900 tonnes",
    ),
    (
        "What is the cost of Pilots in the budget?",
        "plan.xlsx, sheet Budget",
        "1250.5",
    ),
    (
        "What is the crew of Birch in the fleet?",
        "fleet.ods, sheet Fleet",
        "17",
    ),
    (
        "Who built the tide clock of Marrow Bay?",
        "tide.epub, section 1 (Tides)",
        "Edda Lind",
    ),
    ("Who is the pilot on duty?", "roster.eml", "Marta Quill"),
    ("Wann öffnet die Schleuse Brandt?", "locks.eml", "06:30 Uhr"),
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/office")
}

/// A world whose documents are these files.
fn world_of(files: impl IntoIterator<Item = PathBuf>) -> World {
    let world = World::new();
    fs::remove_dir_all(world.path("docs")).unwrap();
    fs::create_dir(world.path("docs")).unwrap();
    for file in files {
        let name = file.file_name().unwrap();
        fs::copy(&file, world.path("docs").join(name)).unwrap();
    }
    world
}

#[test]
fn every_format_is_quoted_with_its_place() {
    let files = fs::read_dir(fixtures()).unwrap().map(|file| file.unwrap().path());
    // One is the report again, encrypted with the empty password.
    let world = world_of(files.filter(|path| path.is_file() && !path.ends_with("owner-only.pdf")));
    let pdf = fs::read(fixtures().join("report.pdf")).unwrap();
    fs::write(world.path("docs/cut.pdf"), &pdf[..pdf.len() / 2]).unwrap();
    let lines: Vec<String> = QUESTIONS
        .iter()
        .map(|(question, ..)| serde_json::json!({ "id": question, "question": question }).to_string())
        .collect();
    fs::write(world.path("questions.jsonl"), lines.join("\n")).unwrap();
    let called = world.must(&[
        "research",
        "--offline",
        "--source",
        "docs",
        "--questions",
        "questions.jsonl",
        "--format",
        "jsonl",
    ]);
    let answers: Vec<Value> = called
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for (question, doc, words) in QUESTIONS {
        let answer = answers.iter().find(|answer| answer["id"] == question).unwrap();
        let citation = &answer["citations"][0];
        assert_eq!(citation["doc"], doc, "{answer:#}");
        assert_eq!(citation["grade"], "verified", "{answer:#}");
        assert!(citation["span"].as_str().unwrap().contains(words), "{answer:#}");
    }
}

#[test]
fn what_cannot_be_read_is_listed_and_stops_nothing() {
    let hostile = [
        "hostile/bomb-memory.pdf",
        "hostile/bomb-loop.pdf",
        "hostile/bomb-time.pdf",
    ];
    let names = ["report.pdf", "locked.pdf", "locked.docx", "scan.pdf", "plan.xlsx"];
    let world = world_of(names.iter().chain(&hostile).map(|name| fixtures().join(name)));
    let docx = fs::read(fixtures().join("ferry.docx")).unwrap();
    fs::write(world.path("docs/cut.docx"), &docx[..docx.len() / 2]).unwrap();
    fs::File::create(world.path("docs/huge.pdf"))
        .unwrap()
        .set_len(60 << 20)
        .unwrap();
    let called = world.must(&[
        "research",
        "--offline",
        "--source",
        "docs",
        "--format",
        "jsonl",
        "How long is the deck of the Lantern Bridge?",
    ]);
    let events = called
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let read = events
        .filter(|event| event["event_type"] == "sources_read")
        .collect::<Vec<_>>();
    let read = &read[0]["data"];
    let skipped: Vec<(&str, &str)> = read["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let path = it["path"].as_str().unwrap();
            (path.rsplit('/').next().unwrap(), it["reason"].as_str().unwrap())
        })
        .collect();
    let too_large = "needs more than 512 MB of memory, or is nested too deeply";
    let expected = [
        ("bomb-loop.pdf", too_large),
        ("bomb-memory.pdf", too_large),
        ("bomb-time.pdf", "takes more than 10 seconds to read"),
        ("huge.pdf", "larger than 50 MB"),
        ("locked.docx", "encrypted, cannot be read"),
        ("locked.pdf", "encrypted, cannot be read"),
        ("plan.xlsx", "read in part: sheet Secret is hidden"),
        ("scan.pdf", "3 pages without text (scanned?)"),
    ];
    for expected in expected {
        assert!(skipped.contains(&expected), "{expected:?} in {skipped:?}");
    }
    let (_, cut) = skipped.iter().find(|(name, _)| *name == "cut.docx").unwrap();
    assert!(cut.starts_with("broken: "), "{cut}");
    assert_eq!(read["n_documents"], 2);
    let shown = world.must(&["show", "last"]).stdout;
    assert!(
        shown.contains("report.pdf, page 2") && shown.contains("bomb-loop.pdf: needs more than 512 MB"),
        "{shown}"
    );
}
