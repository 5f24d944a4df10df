//! The index: phrases to the letter, words in their forms, stable order, and the folder it lives in.

use std::fs;
use std::path::Path;
use std::thread;

use gemicro_core::corpus::{Corpus, Document, PassageQuery};
use gemicro_source::{IndexError, PassageIndex, parse};

use crate::support::corpus_snapshot;

const TEXTS: [(&str, &str); 12] = [
    ("q41.md", "# Store\n\nQuillstore 4.1 keeps 3 copies."),
    ("q410.md", "# Store\n\nQuillstore 4.10 keeps 4 copies."),
    ("q42.md", "# Store\n\nQuillstore 4.2 keeps 5 copies."),
    ("light.md", "# Ships\n\nThe draught of MV Corran Light is low."),
    (
        "lights.md",
        "# Ships\n\nThe draught of MV Corran Lights is high. DD-174 applies.",
    ),
    (
        "owner.md",
        "# Ships\n\nMV Corran Light's owner stops the fennel-relay.",
    ),
    ("relay.md", "# Other\n\nA fennel relay race was stopped."),
    ("zh.md", "# 简报\n\n寰屿仓库的冷库总容积为八千四百立方米。"),
    ("ko.txt", "하늘재 전망대는 봄부터 가을까지 문을 엽니다."),
    (
        "de.md",
        "# Größenau\n\nDas Mühlrad misst 5,60 Meter. C++ ist es nicht.",
    ),
    ("c.md", "# Letter\n\nThe letter C was stopping here, DD-17 too."),
    (
        "head.md",
        "# Moss Tarn station\n\nIt sends readings every 19 minutes.",
    ),
];

fn documents() -> Vec<Document> {
    TEXTS
        .iter()
        .map(|(doc, text)| parse(doc, (*text).to_owned()))
        .collect()
}

fn found(index: &PassageIndex, phrases: &[&str], terms: &[&str]) -> Vec<String> {
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let query = PassageQuery {
        phrases: own(phrases),
        terms: own(terms),
        limit: 50,
    };
    let mut docs: Vec<String> = index
        .search(&query)
        .unwrap()
        .into_iter()
        .map(|hit| hit.passage.doc)
        .collect();
    docs.sort();
    docs
}

#[test]
fn phrases_match_to_the_letter() {
    let index = PassageIndex::build(&documents()).unwrap();
    for (phrase, expected) in [
        ("Quillstore 4.1", &["q41.md"][..]),
        ("quillstore 4.10", &["q410.md"]),
        ("Quillstore 4", &[]),
        ("4.2", &["q42.md"]),
        ("MV Corran Light", &["light.md", "owner.md"]),
        ("mv corran lights", &["lights.md"]),
        ("Corran MV", &[]),
        ("fennel-relay", &["owner.md"]),
        ("fennel relay", &["relay.md"]),
        ("DD-174", &["lights.md"]),
        ("DD-17", &["c.md"]),
        ("寰屿仓库", &["zh.md"]),
        ("仓库寰屿", &[]),
        ("하늘재 전망대", &["ko.txt"]),
        ("mühlrad", &["de.md"]),
        ("5,60", &["de.md"]),
        ("5", &["q42.md"]),
        ("C", &["c.md"]),
        ("C++", &["de.md"]),
        ("stop", &[]),
        ("moss tarn station", &["head.md"]),
        ("?!", &[]),
    ] {
        assert_eq!(found(&index, &[phrase], &[]), expected, "{phrase}");
    }
}

#[test]
fn every_phrase_must_match_and_words_only_rank() {
    let index = PassageIndex::build(&documents()).unwrap();
    assert_eq!(found(&index, &["corran light", "owner"], &[]), ["owner.md"]);
    // The second phrase stands in the heading.
    assert_eq!(
        found(&index, &["readings", "Moss Tarn station"], &["nowhere"]),
        ["head.md"]
    );
    assert_eq!(found(&index, &[], &["stops"]), ["c.md", "owner.md", "relay.md"]);
    assert_eq!(found(&index, &[], &["copy"]), ["q41.md", "q410.md", "q42.md"]);
    assert_eq!(found(&index, &[], &["冷库"]), ["zh.md"]);
    assert_eq!(found(&index, &[], &[]), Vec::<String>::new());
    assert_eq!(
        found(&index, &["  "], &["stopped"]),
        ["c.md", "owner.md", "relay.md"]
    );
}

#[test]
fn order_is_stable_and_ties_go_by_document() {
    let documents: Vec<Document> = (0..40)
        .map(|n| parse(&format!("{n:02}.txt"), "the same words".to_owned()))
        .collect();
    let query = PassageQuery {
        phrases: Vec::new(),
        terms: vec!["word".to_owned()],
        limit: 5,
    };
    let index = PassageIndex::build(&documents).unwrap();
    let hits = index.search(&query).unwrap();
    let docs: Vec<&str> = hits.iter().map(|hit| hit.passage.doc.as_str()).collect();
    assert_eq!(docs, ["00.txt", "01.txt", "02.txt", "03.txt", "04.txt"]);
    assert_eq!(
        PassageIndex::build(&documents).unwrap().search(&query).unwrap(),
        hits
    );
    let all = PassageQuery {
        limit: usize::MAX,
        ..query
    };
    assert_eq!(index.search(&all).unwrap().len(), 40);
}

#[test]
fn passages_come_in_reading_order() {
    let snapshot = corpus_snapshot();
    let index = PassageIndex::build(&snapshot.documents).unwrap();
    for document in &snapshot.documents {
        let passages = gemicro_source::cut_passages(document);
        assert_eq!(
            index.passages(&document.doc).unwrap(),
            passages,
            "{}",
            document.doc
        );
    }
    assert_eq!(index.passages("no/such.md").unwrap(), []);
    let hit = PassageQuery {
        phrases: vec!["Hallin Ridge station".to_owned()],
        terms: vec!["send".to_owned(), "reading".to_owned(), "minute".to_owned()],
        limit: 3,
    };
    let hits = index.search(&hit).unwrap();
    assert!(
        hits[0]
            .passage
            .text
            .contains("Hallin Ridge station sends its readings every 19 minutes.")
    );
}

#[test]
fn a_folder_is_built_once_opened_and_mended() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("cache/abc");
    assert!(matches!(
        PassageIndex::open(&folder),
        Err(IndexError::NotFound { .. })
    ));
    let built = PassageIndex::build_in(&folder, &documents()).unwrap();
    let opened = PassageIndex::open(&folder).unwrap();
    assert_eq!(
        found(&built, &["Quillstore 4.1"], &[]),
        found(&opened, &["Quillstore 4.1"], &[])
    );
    assert_eq!(opened.n_passages(), built.n_passages());
    drop((built, opened));
    // Nothing but the index itself is left.
    let names = |folder: &Path| fs::read_dir(folder).unwrap().count();
    assert_eq!(names(folder.parent().unwrap()), 1);

    let files: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    for file in files
        .iter()
        .filter(|file| fs::metadata(file).is_ok_and(|file| file.len() > 0))
    {
        let whole = fs::read(file).unwrap();
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        bytes.truncate(bytes.len() - 1);
        fs::write(file, &bytes).unwrap();
        if let Err(error) = PassageIndex::open(&folder) {
            assert!(
                matches!(error, IndexError::Damaged { .. }),
                "{}: {error}",
                file.display()
            );
        }
        let mended = PassageIndex::open_or_build(&folder, &documents()).unwrap();
        assert_eq!(
            found(&mended, &["Quillstore 4.1"], &[]),
            ["q41.md"],
            "{}",
            file.display()
        );
        drop(mended);
        if file.exists() {
            fs::write(file, &whole).unwrap();
        }
    }
    fs::remove_file(folder.join("passages.index")).unwrap();
    assert!(matches!(
        PassageIndex::open(&folder),
        Err(IndexError::Damaged { .. })
    ));
    PassageIndex::open_or_build(&folder, &documents()).unwrap();
}

#[test]
fn two_builders_of_one_folder_do_not_disturb_each_other() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("abc");
    let documents = documents();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let index = PassageIndex::open_or_build(&folder, &documents).unwrap();
                assert_eq!(found(&index, &["Quillstore 4.2"], &[]), ["q42.md"]);
            });
        }
    });
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
}
