//! Plans that can be read, and the faults of others.

use super::{PlanBlock, read_plan};

const HEAD: &str = "\
# Plan: dark mode toggle

## 1. List of Reference Documents
- docs/settings.md

## 2. Detailed Logic
Store the choice.

```rust
fn toggle() {}
```

## 3. Test Scenarios
| input | expected |
|---|---|
| click | dark |

## 4. List of Documentation to update
- README.md

## 5. List of Expected Deliverables
- src/theme.rs

## 6. Completion Checklist
- [ ] The toggle works
";

const BLOCK: &str = r#"{"deliverables": ["src/theme.rs", "-src/old.rs"], "docs": ["README.md"],
"tests": ["tests/theme.rs::toggles"], "checklist": ["The toggle works"], "version": true}"#;

fn plan(block: &str) -> String {
    format!("{HEAD}\n```json gemicro-plan\n{block}\n```\n")
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_whole_plan_is_read() {
    let expected = PlanBlock {
        deliverables: texts(&["src/theme.rs", "-src/old.rs"]),
        docs: texts(&["README.md"]),
        tests: texts(&["tests/theme.rs::toggles"]),
        checklist: texts(&["The toggle works"]),
        version: Some(true),
        changelog: None,
    };
    assert_eq!(read_plan(&plan(BLOCK)), Ok(expected.clone()));
    assert_eq!(read_plan(&plan(BLOCK).replace('\n', "\r\n")), Ok(expected));
}

#[test]
fn headings_may_be_worded_otherwise() {
    let renamings = [
        ("## 1. List of Reference Documents", "### **References**"),
        ("## 1. List of Reference Documents", "A) REFERENCE DOCS\n---"),
        (
            "## 2. Detailed Logic",
            "## Section 2: Implementation details <!-- long -->",
        ),
        ("## 3. Test Scenarios", "**3) Test cases with expected values:**"),
        ("## 4. List of Documentation to update", "# Docs to Update #"),
        (
            "## 4. List of Documentation to update",
            "## Documentation updates",
        ),
        ("## 5. List of Expected Deliverables", "## deliverables"),
        ("## 6. Completion Checklist", "## Definition of Done"),
    ];
    for (old, new) in renamings {
        let text = plan(BLOCK).replace(old, new);
        assert!(text.contains(new), "{new}");
        assert_eq!(read_plan(&text).err(), None, "{new}");
    }
}

#[test]
fn missing_and_empty_sections_are_named() {
    let cases = [
        (
            "## 3. Test Scenarios",
            "Test scenarios follow.",
            "the plan has no section `Test Scenarios`: add it with a heading of that name",
        ),
        (
            "## 3. Test Scenarios",
            "```\n## 3. Test Scenarios\n```",
            "the plan has no section `Test Scenarios`: add it with a heading of that name",
        ),
        (
            "## 3. Test Scenarios",
            "<!--\n## 3. Test Scenarios\n-->",
            "the plan has no section `Test Scenarios`: add it with a heading of that name",
        ),
        (
            "- src/theme.rs\n",
            "\n",
            "the section `Expected Deliverables` of the plan is empty: fill it",
        ),
    ];
    for (old, new, fault) in cases {
        assert_eq!(
            read_plan(&plan(BLOCK).replace(old, new)),
            Err(texts(&[fault])),
            "{new}"
        );
    }
    assert_eq!(read_plan("").unwrap_err().len(), 7);
}

#[test]
fn a_section_may_consist_of_parts() {
    let text = plan(BLOCK).replace("Store the choice.", "### Storage\nStore the choice.");
    assert_eq!(read_plan(&text).err(), None);
}

/// Blocks with their faults, which contain these words in this order.
const FAULTY: &[(&str, &[&str])] = &[
    ("", &["is invalid: EOF"]),
    ("[]", &["is invalid"]),
    ("{", &["is invalid"]),
    (
        r#"{"deliverables":["a"],"docs":[],"tests":[]}"#,
        &["missing field `checklist`"],
    ),
    (
        r#"{"deliverables":["a"],"docs":[],"tests":[],"checklist":["c"],"extra":1}"#,
        &["unknown field `extra`"],
    ),
    (
        r#"{"deliverables":["a"],"deliverables":["b"],"docs":[],"tests":[],"checklist":["c"]}"#,
        &["duplicate field `deliverables`"],
    ),
    (
        r#"{"deliverables":["a", 1],"docs":[],"tests":[],"checklist":["c"]}"#,
        &["at `deliverables[1]`: invalid type"],
    ),
    (
        r#"{"deliverables":["a"],"docs":[],"tests":[],"checklist":["c"]} {}"#,
        &["one JSON object and nothing else"],
    ),
    (
        r#"{"deliverables":[],"docs":[],"tests":[],"checklist":[]}"#,
        &[
            "`deliverables` of the plan is empty",
            "`checklist` of the plan is empty",
        ],
    ),
    (
        r#"{"deliverables":["../a","/etc/passwd","a\\b","x/.GIT/config","a//b","./a","src/","","-","C:/x","a\u0000b","a\u202eb"," a",".git./x","-../b"],"docs":["a/../../b"],"tests":[],"checklist":["c"]}"#,
        &[
            "`../a` in `deliverables` of the plan contains `..`",
            "`/etc/passwd` in `deliverables` of the plan is absolute",
            "has a backslash",
            "is inside `.git`",
            "has an empty part",
            "has a part `.`",
            "names a folder",
            "is empty",
            "is empty",
            "is absolute",
            "control or invisible",
            "control or invisible",
            "starts or ends with a space",
            "is inside `.git`",
            "`-../b` in `deliverables` of the plan contains `..`",
            "`a/../../b` in `docs` of the plan contains `..`",
        ],
    ),
    (
        r#"{"deliverables":["a"],"docs":[],"tests":[" "],"checklist":["c\nd","**"]}"#,
        &[
            "` ` in `tests` of the plan is empty",
            "`c\\nd` in `checklist` of the plan has line breaks",
            "`**` in `checklist` of the plan is empty",
        ],
    ),
    (
        r#"{"deliverables":["a","-a"],"docs":[],"tests":[],"checklist":["c"]}"#,
        &["both writes and deletes `a`"],
    ),
];

#[test]
fn faults_of_the_block_are_reported_each() {
    for (block, words) in FAULTY {
        let faults = read_plan(&plan(block)).unwrap_err();
        assert_eq!(faults.len(), words.len(), "{faults:#?}");
        for (fault, words) in faults.iter().zip(*words) {
            assert!(fault.contains(words), "{fault} should have {words}");
        }
    }
}

#[test]
fn sizes_are_bounded() {
    let many = vec!["\"a\""; 201].join(",");
    let long = "x".repeat(1_025);
    let item = "x".repeat(501);
    let block = format!(r#"{{"deliverables":["{long}"],"docs":[{many}],"tests":[],"checklist":["{item}"]}}"#);
    let faults = read_plan(&plan(&block)).unwrap_err();
    assert_eq!(faults.len(), 3, "{faults:#?}");
    let huge = format!(r#"{{"deliverables":["{}"]}}"#, "x".repeat(70_000));
    assert!(read_plan(&plan(&huge)).unwrap_err()[0].contains("at most 65536 are read"));
    assert!(read_plan(&"x".repeat(2_000_000)).unwrap_err()[0].contains("at most 1048576 are read"));
}

#[test]
fn exactly_one_block_counts() {
    let missing =
        "the plan has no block ```json gemicro-plan: add one with deliverables, docs, tests and checklist";
    let other = "the plan has a block ```gemicro-plan: its first line must be exactly ```json gemicro-plan";
    let open = "the block ```json gemicro-plan is not closed: end it with a line ```";
    let two = "the plan has 2 blocks ```json gemicro-plan: leave exactly one";
    let cases = [
        (HEAD.to_owned(), missing),
        (format!("{HEAD}\n```gemicro-plan\n{BLOCK}\n```\n"), other),
        (format!("{HEAD}\n```json gemicro-plan\n{BLOCK}\n"), open),
        (
            format!("{}\n```json gemicro-plan\n{BLOCK}\n```\n", plan(BLOCK)),
            two,
        ),
        (
            format!("{HEAD}\n````\n```json gemicro-plan\n{BLOCK}\n```\n````\n"),
            missing,
        ),
        (
            format!("{HEAD}\n> ```json gemicro-plan\n> {BLOCK}\n> ```\n"),
            missing,
        ),
        (
            format!("{HEAD}\n<!--\n```json gemicro-plan\n{BLOCK}\n```\n-->\n"),
            missing,
        ),
    ];
    for (text, fault) in cases {
        assert_eq!(read_plan(&text), Err(texts(&[fault])), "{text}");
    }
    let tildes = format!("{HEAD}\n  ~~~~ json   gemicro-plan\n{BLOCK}\n  ~~~~\n");
    assert_eq!(read_plan(&tildes).err(), None);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(#|##|```|~~~|json gemicro-plan|<!--|-->|\n|\r|[a-zé {}\\[\\]\":,*-]){0,60}") {
        let read = read_plan(&text);
        proptest::prop_assert!(read.is_err());
    }
}
