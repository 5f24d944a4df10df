//! For any bytes and any format: blocks and passages lie inside the text, on character boundaries, in
//! order, without overlap; and nothing panics.

use std::collections::HashSet;

use gemicro_core::corpus::Document;
use gemicro_source::{HARD_LIMIT, cut_passages, decode, parse, unpack};
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::{collection, sample};

const NAMES: [&str; 12] = [
    "a.md", "a.html", "a.txt", "a.rs", "a.py", "a.sql", "a.lua", "a.toml", "a.yaml", "a.json", "a.csv", "a",
];

/// Pieces that mean something to one of the parsers.
const PIECES: [&str; 52] = [
    "<div hidden>",
    "</div>",
    "<p>",
    "</p>",
    "<span style=\"display:none\">",
    "</span>",
    "<!--",
    "-->",
    "<td>",
    "<tr>",
    "<table>",
    "<script>",
    "</script>",
    "<style>.x{display:none}</style>",
    "<title>",
    "</title>",
    "&amp;",
    "&#8203;",
    "<br>",
    "\n",
    "\n\n",
    "# ",
    "- ",
    "> ",
    "```\n",
    "| a | b |\n|---|---|\n",
    "**",
    "[x](y)",
    "---\n",
    "date: 2031-05-04\n",
    "4. Mai 2031",
    "2031年5月4日",
    "//",
    "/*",
    "*/",
    "#",
    "--[[",
    "\"\"\"",
    "'''",
    "\"",
    "\\",
    "key = 1",
    "[part]",
    "Word. ",
    "Größe ",
    "仓库。",
    "하늘",
    "\u{200b}",
    "\u{e0041}",
    "<",
    "é",
    "\t",
];

fn check(document: &Document) {
    let mut floor = 0;
    for block in &document.blocks {
        let text = document
            .text
            .get(block.range.clone())
            .expect("a block inside the text");
        assert!(block.range.start >= floor, "blocks overlap");
        assert_eq!(text.trim(), text);
        assert!(!text.is_empty());
        floor = block.range.end;
    }
    let mut floor = 0;
    let mut covered = 0;
    for (idx, passage) in cut_passages(document).iter().enumerate() {
        assert_eq!(
            document.text.get(passage.range.clone()),
            Some(passage.text.as_str())
        );
        assert!(passage.range.start >= floor && passage.ordinal as usize == idx);
        assert!(passage.text.len() <= HARD_LIMIT && !passage.text.trim().is_empty());
        floor = passage.range.end;
        covered += passage.text.split_whitespace().map(str::len).sum::<usize>();
    }
    // Cutting loses nothing but white space.
    let in_blocks = document
        .blocks
        .iter()
        .map(|block| &document.text[block.range.clone()]);
    assert_eq!(
        covered,
        in_blocks
            .flat_map(str::split_whitespace)
            .map(str::len)
            .sum::<usize>()
    );
}

fn marked_up() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        sample::select(&PIECES[..]).prop_map(str::to_owned),
        "[a-z ]{0,12}"
    ];
    collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes(bytes in collection::vec(any::<u8>(), 0..600), name in sample::select(&NAMES[..])) {
        if let Ok(text) = decode(&bytes) {
            check(&parse(name, text));
        }
    }

    #[test]
    fn any_markup(text in marked_up(), name in sample::select(&NAMES[..])) {
        let text = decode(text.as_bytes()).unwrap();
        check(&parse(name, text));
    }

    #[test]
    fn long_texts(text in marked_up(), n_times in 1usize..200, name in sample::select(&NAMES[..])) {
        check(&parse(name, text.repeat(n_times)));
    }

    #[test]
    fn hidden_text_is_never_covered(before in marked_up_closed(), after in marked_up_closed(), html in any::<bool>()) {
        let hidden = "<div style=\"display:none\">SECRET</div>";
        let text = format!("{before}\n\n{hidden}\n\n{after}");
        let document = parse(if html { "a.html" } else { "a.md" }, text);
        check(&document);
        for passage in cut_passages(&document) {
            assert!(!passage.text.contains("SECRET"), "{passage:?}");
        }
    }

    #[test]
    fn a_damaged_pack_never_panics(bytes in collection::vec(any::<u8>(), 0..200), n_documents in 0usize..3) {
        let mut pack = format!("gemicro-pack 1 {n_documents}\n").into_bytes();
        pack.extend(&bytes);
        let _ = unpack(&pack);
        let _ = unpack(&bytes);
    }
}

/// Text with markup that is whole in itself.
fn marked_up_closed() -> impl Strategy<Value = String> {
    let whole = [
        "<p>x</p>",
        "<b>y</b>",
        "text ",
        "<!-- c -->",
        "\n\n",
        "- item\n",
        "# head\n\n",
        "**bold**",
        "<br>",
    ];
    collection::vec(sample::select(whole.to_vec()), 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn damaged_packs_are_told_apart() {
    let whole =
        "gemicro-pack 1 1\n{\"doc\":\"a\",\"title\":\"a\",\"date\":null,\"text\":\"é\",\"blocks\":[]}\n";
    assert_eq!(unpack(whole.as_bytes()).unwrap().len(), 1);
    let mut messages = HashSet::new();
    for bad in [
        "",
        "nonsense",
        "gemicro-pack 2 1\n",
        "gemicro-pack 1 2\n",
        "gemicro-pack 1 1\n{\"doc\":\"a\"}\n",
        "gemicro-pack 1 1\n{\"doc\":\"a\",\"title\":\"a\",\"date\":null,\"text\":\"é\",\"blocks\":[{\"kind\":\"code\",\"range\":{\"start\":1,\"end\":2}}]}\n",
    ] {
        messages.insert(unpack(bad.as_bytes()).unwrap_err().to_string());
    }
    assert_eq!(messages.len(), 5, "{messages:#?}");
}

/// Inputs that make a careless parser quadratic: such a one runs into the test runner's limit.
#[test]
fn hostile_inputs_are_parsed() {
    let n = 100_000;
    for (name, text) in [
        ("a.html", "<div>".repeat(n)),
        ("a.html", format!("{}{}", "<i>".repeat(n), "</span>".repeat(n))),
        ("a.html", "<p hidden><b>".repeat(n / 2)),
        ("a.md", "<a ".repeat(n)),
        ("a.md", format!("<div>\n{}", "</a".repeat(n))),
        ("a.md", "<!-- ".repeat(n)),
        ("a.md", "- ".repeat(2_000)),
        ("a.md", "> ".repeat(2_000)),
        ("a.rs", "\\\"".repeat(n)),
        ("a.py", "\"\"\"\"\"\"".repeat(n / 2)),
        ("a.py", "'\"".repeat(n)),
        ("a.toml", "a = [\n".repeat(n)),
        ("a.txt", "x".repeat(n * 5)),
        ("a.txt", "a. ".repeat(n)),
        ("a.md", "<div hidden><Word. 仓库。".repeat(3)),
        ("a.html", "<a 仓=库 하>".repeat(3)),
    ] {
        check(&parse(name, text));
    }
}
