//! Names of files, types and functions.

use super::super::command::check_files;
use super::{CLI, CORE, SOURCE, check};
use crate::repository::SourceFile;

#[test]
fn names() {
    for name in [
        "utils", "util", "common", "misc", "shared", "manager", "imp", "helpers", "handler",
    ] {
        check(
            &format!("crates/gemicro-core/src/{name}.rs"),
            "",
            &[(1, "says nothing")],
        );
        check(CORE, &format!("pub mod {name};\n"), &[(2, "says nothing")]);
    }
    check(
        "crates/gemicro-core/tests/common/mod.rs",
        "",
        &[(1, "`common` says nothing")],
    );
    check(CORE, "pub struct RunManager;\n", &[(2, "RunManager")]);
    check(CORE, "pub struct HistoryManager;\n", &[]);
    check(CORE, "pub trait Handler {}\n", &[(2, "lacks its noun")]);
    check(CORE, "pub trait CommandHandler {}\n// struct RunManager\n", &[]);
    check(
        "crates/gemicro-core/src/utilisation.rs",
        "mod commonplace;\n",
        &[],
    );
}

#[test]
fn a_type_name_occurs_once() {
    let file = |path: &str, text: &str| SourceFile {
        path: path.to_owned(),
        text: format!("//! Doc.\n{text}\n"),
    };
    let found = |text: &str| {
        let files = [file(CORE, "pub(crate) struct Ledger;"), file(SOURCE, text)];
        check_files(&[], &files)
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let expected = format!("{SOURCE}:2: type `Ledger` is also declared in {CORE}: name it after its subject");
    for twice in ["enum Ledger {}", "pub trait Ledger {}", "type Ledger = u8;"] {
        assert_eq!(found(twice), std::slice::from_ref(&expected), "{twice}");
    }
    let once = [
        "struct SourceLedger;",
        "impl Iterator for X {\n    type Ledger = u8;\n}",
        "#[cfg(test)]\nmod tests {\n    struct Ledger;\n}",
        "// struct Ledger;",
    ];
    for once in once {
        assert_eq!(found(once), [""; 0], "{once}");
    }
    let handles = [file(CORE, "struct Inner;"), file(SOURCE, "struct Inner;")];
    assert_eq!(check_files(&[], &handles), []);
}

#[test]
fn bare_participles() {
    for (name, is_bad) in [
        ("Told", true),
        ("Written", true),
        ("Finished", true),
        ("Reading", true),
        ("Unseen", true),
        ("WrittenText", false),
        ("Setting", false),
        ("Reader", false),
    ] {
        let expected: &[(usize, &str)] = if is_bad { &[(2, "add the noun")] } else { &[] };
        check(CLI, &format!("struct {name};\n"), expected);
    }
    for (name, is_bad) in [
        ("told", true),
        ("unwritten", true),
        ("refused", true),
        ("asking", true),
        ("to_failure", false),
        ("is_refused", false),
        ("refused_start", false),
        ("sorted", false),
        ("read", false),
        ("feed", false),
    ] {
        let expected: &[(usize, &str)] = if is_bad { &[(2, "say what it does")] } else { &[] };
        check(CLI, &format!("pub(crate) async fn {name}() {{}}\n"), expected);
    }
    check("crates/gemicro-cli/src/run/tests.rs", "fn told() {}\n", &[]);
    check(CLI, "#[cfg(test)]\nmod tests {\n    fn told() {}\n}\n", &[]);
}
