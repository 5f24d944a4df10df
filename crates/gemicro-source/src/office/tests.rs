//! Real files of other programs, and files that are made to hurt.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::error::OfficeError;
use super::read::{OfficeText, read_office};
use crate::parse::tests::blocks_of;

/// Reads a file of `fixtures/office`.
fn fixture(name: &str) -> Result<OfficeText, OfficeError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/office");
    read_office(name, fs::read(folder.join(name)).unwrap())
}

/// Places, titles and blocks of a whole file.
fn parts_of(text: &OfficeText) -> Vec<(&str, &str, Vec<String>)> {
    let parts = text.documents.iter();
    parts
        .map(|document| {
            (
                document.doc.as_str(),
                document.title.as_str(),
                blocks_of(document),
            )
        })
        .collect()
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A zip file with these files.
fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A `.docx` with this main document.
fn docx_of(document: &[u8]) -> Vec<u8> {
    let relations = br#"<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/></Relationships>"#;
    zip_of(&[("_rels/.rels", relations), ("word/document.xml", document)])
}

#[test]
fn a_word_document_has_headings_items_and_rows() {
    let text = fixture("ferry.docx").unwrap();
    let expected = [
        "heading: Ferry timetable review",
        "paragraph: 2031-03-04",
        "heading: Crossings",
        "paragraph: The ferry Silver Tern crosses the sound in 42 minutes.",
        "paragraph: The winter timetable begins on 1 November.",
        "item: Lifeboats are checked weekly.",
        "row: Harbour\tBerths\tDepth",
        "row: Kittelsund\t14\t6 m",
        "row: Ostvik\t9\t4 m",
        "paragraph: The ferry carries 120 passengers.",
    ];
    assert_eq!(
        parts_of(&text),
        [("", "Ferry timetable review", strings(&expected))]
    );
    assert_eq!(text.documents[0].date.as_deref(), Some("2031-03-04"));
}

#[test]
fn open_document_text_and_sheets_are_read() {
    let text = fixture("lock.odt").unwrap();
    let expected = [
        "heading: Lock keeper handbook",
        "paragraph: The lock at Brandt Weir fills in eleven minutes.",
        "item: Close both gates first.",
        "row: Gate\tWidth",
        "row: North\t7 m",
        "row: South\t8 m",
    ];
    assert_eq!(
        parts_of(&text),
        [("", "Lock keeper handbook", strings(&expected))]
    );
    let text = fixture("fleet.ods").unwrap();
    let expected = [
        "row: Ship\tBuilt\tCrew",
        "row: Alder\t1998\t12",
        "row: Birch\t2004\t17",
    ];
    assert_eq!(parts_of(&text), [("sheet Fleet", "fleet", strings(&expected))]);
}

#[test]
fn slides_are_parts_with_their_notes() {
    let text = fixture("harbour.pptx").unwrap();
    let parts = parts_of(&text);
    let places: Vec<_> = parts.iter().map(|(place, title, _)| (*place, *title)).collect();
    let expected = [
        ("slide 1", "Harbour plan 2032"),
        ("slide 2", "Dredging"),
        ("slide 3", "Cranes"),
    ];
    assert_eq!(places, expected);
    let expected = [
        "heading: Dredging",
        "paragraph: The dredger Mole removes 900 tonnes per day.",
        "paragraph: Work ends in May.",
        "heading: Notes",
        "paragraph: Ask the pilot about the sandbank at Gull Point.",
    ];
    assert_eq!(parts[1].2, strings(&expected));
    assert_eq!(
        parts[2].2[1..],
        strings(&["row: Crane\tLift", "row: Atlas\t60 t", "row: Titan\t85 t"])
    );
}

#[test]
fn sheets_are_tables_and_formulas_are_text() {
    let text = fixture("plan.xlsx").unwrap();
    let parts = parts_of(&text);
    let places: Vec<_> = parts.iter().map(|(place, title, _)| (*place, *title)).collect();
    let expected = [
        ("sheet Budget", "Budget"),
        ("sheet Evil & odd", "Evil & odd"),
        ("sheet Plain", "Plain"),
    ];
    assert_eq!(places, expected);
    let budget = [
        "row: Department\tCost\tOwner\tDue",
        "row: Pilots\t1250.5\tInes\t2031-05-04",
        "row: Signals\t830\t\"Tomas \"\"Tom\"\" Berg\"\t2031-06-01",
        "row: Total\t=SUM(B2:B3)",
    ];
    assert_eq!(parts[0].2, strings(&budget));
    let evil = [
        "row: Name\tNote",
        "row: Probe\t=cmd|' /C calc'!A0",
        "row: Rich\ttwo lines and tab",
    ];
    assert_eq!(parts[1].2, strings(&evil));
    assert_eq!(
        text.left_out.as_deref(),
        Some("read in part: sheet Secret is hidden")
    );
    // Shared strings, a stored result, and a first cell that is empty.
    let text = fixture("stock.xlsx").unwrap();
    let stock = [
        "row: \"\"\tRopes\tShare\tCounted",
        "row: North store\t420\t12.5%\t2031-05-04 10:15",
        "row: South store\t310\t30%",
        "row: Total\t730",
    ];
    assert_eq!(parts_of(&text), [("sheet Stock", "Stock", strings(&stock))]);
}

#[test]
fn a_book_is_read_section_by_section_without_what_is_hidden() {
    let text = fixture("tide.epub").unwrap();
    let parts = parts_of(&text);
    assert_eq!(parts.len(), 2);
    assert_eq!((parts[1].0, parts[1].1), ("section 2 (Bells)", "Bells"));
    let expected = [
        "heading: Bells",
        "paragraph: The great bell of Marrow Bay weighs 740 kilograms.",
    ];
    assert_eq!(parts[1].2[parts[1].2.len() - 2..], strings(&expected));
}

#[test]
fn mail_has_its_header_and_its_text() {
    let text = fixture("locks.eml").unwrap();
    let expected = [
        "key: From: Ines Holm",
        "key: To: crew@example.com",
        "key: Date: 2031-03-04 10:15",
        "key: Subject: Änderung der Schleusenzeiten",
        "key: Attachment (not read): plan.xlsx",
        "paragraph: Die Schleuse Brandt öffnet ab Montag um 06:30 Uhr.",
        "paragraph: Grüße, Ines",
    ];
    let title = "Änderung der Schleusenzeiten";
    assert_eq!(parts_of(&text), [("", title, strings(&expected))]);
    assert_eq!(text.documents[0].date.as_deref(), Some("2031-03-04"));
    let text = fixture("roster.eml").unwrap();
    let blocks = blocks_of(&text.documents[0]);
    assert_eq!(
        blocks.last().unwrap(),
        "paragraph: The pilot on duty is Marta Quill."
    );
    assert!(!text.documents[0].text.contains("x()"));
    assert_eq!(
        read_office("a.eml", b"just some words".to_vec()),
        Err(OfficeError::broken_file("it is not a mail message"))
    );
}

#[test]
fn a_pdf_is_read_page_by_page() {
    let text = fixture("report.pdf").unwrap();
    let parts = parts_of(&text);
    let title = "Survey of the Lantern Bridge";
    let places: Vec<_> = parts.iter().map(|(place, title, _)| (*place, *title)).collect();
    assert_eq!(places, [("page 1", title), ("page 2", title), ("page 3", title)]);
    let deck = "paragraph: The deck of the Lantern Bridge is 418 metres long. Its width is 11 metres at the towers & 9 metres\n\
                elsewhere – the naïve façade is “old”.";
    assert_eq!(parts[1].2, strings(&["heading: Deck", deck]));
    let towers = [
        "heading: Towers",
        "paragraph: The north tower of the Lantern Bridge leans by 3 centimetres.",
        "row: Tower\tHeight",
        "row: North\t72 m",
        "row: South\t74 m",
    ];
    assert_eq!(parts[2].2, strings(&towers));
    // An embedded font, whose glyphs only its table names.
    let text = fixture("unicode.pdf").unwrap();
    let blocks = blocks_of(&text.documents[0]).join(" ").replace('\n', " ");
    let expected = "paragraph: Řeka Labe protéká městem. Der Speicher heißt „Möwe“. Ωμέγα – fluffy office.";
    assert_eq!(blocks, expected);
    // Encrypted with the empty password, as against printing.
    assert_eq!(
        fixture("owner-only.pdf").unwrap().documents,
        fixture("report.pdf").unwrap().documents
    );
}

#[test]
fn columns_of_a_page_are_not_mixed() {
    let text = fixture("columns.pdf").unwrap();
    let blocks = blocks_of(&text.documents[0]);
    assert_eq!(blocks.len(), 2, "{blocks:?}");
    assert!(
        blocks[0].contains("left column") && !blocks[0].contains("right column"),
        "{blocks:?}"
    );
}

#[test]
fn what_cannot_be_read_says_why() {
    for (name, reason) in [
        ("locked.pdf", "encrypted, cannot be read"),
        ("locked.docx", "encrypted, cannot be read"),
        ("scan.pdf", "3 pages without text (scanned?)"),
    ] {
        assert_eq!(fixture(name).unwrap_err().to_string(), reason, "{name}");
    }
    for name in ["a.docx", "a.pdf", "a.epub", "a.xlsx"] {
        let error = read_office(name, b"nothing of the kind".to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("broken: "), "{error}");
    }
    let error = read_office("a.docx", zip_of(&[("readme.txt", b"hello")])).unwrap_err();
    assert_eq!(error.to_string(), "broken: it is a zip file, not a document");
    let error = read_office("a.docx", docx_of(b"<document><body/></document>")).unwrap_err();
    assert_eq!(error, OfficeError::Empty);
    let encrypted =
        br#"<manifest><file-entry full-path="content.xml"><encryption-data/></file-entry></manifest>"#;
    let encrypted = zip_of(&[("content.xml", b"\x93\x01"), ("META-INF/manifest.xml", encrypted)]);
    assert_eq!(read_office("a.odt", encrypted), Err(OfficeError::Encrypted));
}

#[test]
fn truncated_files_are_broken_and_nothing_worse() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/office");
    for name in [
        "ferry.docx",
        "harbour.pptx",
        "plan.xlsx",
        "lock.odt",
        "tide.epub",
        "report.pdf",
    ] {
        let bytes = fs::read(folder.join(name)).unwrap();
        for part in [10, 3, 2] {
            let read = read_office(name, bytes[..bytes.len() - bytes.len() / part].to_vec());
            // A PDF is repaired where its pages are still there.
            let is_refused = matches!(&read, Err(OfficeError::Broken(_) | OfficeError::Empty));
            assert!(
                is_refused || name == "report.pdf" && read.is_ok(),
                "{name}: {read:?}"
            );
        }
    }
}

#[test]
fn a_zip_bomb_is_refused_by_what_comes_out() {
    let mut document = b"<document><body><p><r><t>".to_vec();
    document.resize(210 << 20, b' ');
    document.extend(b"</t></r></p></body></document>");
    let bomb = docx_of(&document);
    assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
    assert_eq!(
        read_office("a.docx", bomb).unwrap_err().to_string(),
        "unpacks to more than 200 MB"
    );
}

#[test]
fn too_many_files_and_archives_inside_are_refused() {
    let names: Vec<String> = (0..10_001).map(|n| n.to_string()).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(
        read_office("a.docx", zip_of(&files)).unwrap_err(),
        OfficeError::Entries
    );
    // An archive that holds itself is not opened a second time.
    let inner = docx_of(b"<document><body><p><r><t>inner</t></r></p></body></document>");
    let outer = zip_of(&[("word/document.xml", &inner), ("again.docx", &inner)]);
    let error = read_office("a.docx", outer).unwrap_err();
    assert_eq!(error.to_string(), "broken: it is a zip file, not a document");
}

#[test]
fn xml_bombs_are_refused() {
    let mut laughs = br#"<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "lol">"#.to_vec();
    for n in 0..10 {
        laughs.extend(format!("<!ENTITY a{n} \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">").bytes());
    }
    laughs.extend(b"]><document><p><r><t>&a9;</t></r></p></document>");
    assert_eq!(
        read_office("a.docx", docx_of(&laughs)),
        Err(OfficeError::DocumentType)
    );
    let outside = br#"<!DOCTYPE d SYSTEM "file:///etc/passwd"><document/>"#;
    assert_eq!(
        read_office("a.docx", docx_of(outside)),
        Err(OfficeError::DocumentType)
    );
    let deep = "<p>".repeat(300) + &"</p>".repeat(300);
    assert_eq!(
        read_office("a.docx", docx_of(deep.as_bytes())),
        Err(OfficeError::Depth)
    );
    let unknown = b"<document><p><r><t>A &amp; B&#233; &nothing;.</t></r></p></document>";
    let text = read_office("a.docx", docx_of(unknown)).unwrap();
    assert_eq!(blocks_of(&text.documents[0]), ["paragraph: A & Bé ."]);
}

#[test]
fn too_much_text_is_refused() {
    let paragraph = format!("<p><r><t>{}</t></r></p>", "word ".repeat(1_000));
    let document = format!("<document>{}</document>", paragraph.repeat(3_600));
    let error = read_office("a.docx", docx_of(document.as_bytes())).unwrap_err();
    assert_eq!(error.to_string(), "contains more than 16 MB of text");
}
