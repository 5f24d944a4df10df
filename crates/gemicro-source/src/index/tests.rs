//! Words and their forms.

use super::fold::{fold, folded_keys, query_keys};
use super::postings::{FieldBuilder, read_list};
use super::words::exact_keys;

#[test]
fn exact_words() {
    for (text, expected) in [
        (
            "Quillstore 4.1, and 4.10.",
            &["quillstore", "4.1", "and", "4.10"][..],
        ),
        ("DD-174 fennel-relay", &["dd-174", "fennel-relay"]),
        ("Light's O’Brien 'x'", &["light", "o'brien", "x"]),
        ("5,60 10:30 1,000. a,b", &["5,60", "10:30", "1,000", "a", "b"]),
        ("C++ C# C.", &["c++", "c#", "c"]),
        (
            "limits.rs https://a.b/c",
            &["limits", "rs", "https", "a", "b", "c"],
        ),
        ("仓库A1", &["仓", "库", "a1"]),
        ("Ｑ４ MÜHLE", &["q4", "mühle"]),
        (" -- ! ", &[]),
    ] {
        assert_eq!(exact_keys(text), expected, "{text}");
    }
}

#[test]
fn forms_meet() {
    for (a, b) in [
        ("service", "services"),
        ("policy", "policies"),
        ("box", "boxes"),
        ("stop", "stopped"),
        ("stop", "stopping"),
        ("make", "making"),
        ("fill", "filled"),
        ("carry", "carried"),
        ("notice", "noticed"),
    ] {
        assert_eq!(fold(a), fold(b), "{a} {b}");
    }
    for (a, b) in [
        ("light", "lighter"),
        ("bus", "bu"),
        ("ring", "r"),
        ("need", "ne"),
        ("4.1", "4.10"),
    ] {
        assert_ne!(fold(a), fold(b), "{a} {b}");
    }
}

#[test]
fn keys_of_compounds_and_of_scripts_without_blanks() {
    assert_eq!(folded_keys("fennel-relays"), ["fennel", "relai", "fennel-relays"]);
    assert_eq!(folded_keys("冷库门"), ["冷", "冷库", "库", "库门", "门"]);
    assert_eq!(query_keys("冷库门"), ["冷库", "库门"]);
    assert_eq!(query_keys("门 stops"), ["门", "stop"]);
}

#[test]
fn a_list_is_read_as_it_was_written() {
    let mut field = FieldBuilder::new(true);
    let keys = |text: &str| text.split(' ').map(str::to_owned).collect();
    field.add(0, keys("a b a"));
    field.add(1, Vec::new());
    field.add(300, keys("a"));
    let lists = field.finish();
    let names: Vec<&str> = lists.iter().map(|list| list.key.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let list = read_list(&lists[0].bytes, lists[0].n_passages, true).unwrap();
    let read: Vec<(u32, &[u32])> = list
        .postings
        .iter()
        .map(|it| (it.passage, list.positions(*it)))
        .collect();
    assert_eq!(read, [(0, &[0, 2][..]), (300, &[0])]);
    let cut = &lists[0].bytes[..lists[0].bytes.len() - 1];
    assert_eq!(read_list(cut, lists[0].n_passages, true), None);
}
