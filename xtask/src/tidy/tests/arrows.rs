//! The arrows between crates, what core may depend on, and circles between files.

use super::super::command::check_files;
use super::super::{arrows, core_tree};
use crate::metadata::{CargoPackage, Dependency, Metadata};
use crate::repository::SourceFile;

fn member(name: &str, dependencies: &[(&str, Option<&str>)]) -> CargoPackage {
    let dependency = |(name, kind): &(&str, Option<&str>)| Dependency {
        name: (*name).to_owned(),
        kind: kind.map(str::to_owned),
        features: Vec::new(),
    };
    CargoPackage {
        id: name.to_owned(),
        name: name.to_owned(),
        dependencies: dependencies.iter().map(dependency).collect(),
        ..CargoPackage::default()
    }
}

fn workspace(package: CargoPackage) -> Metadata {
    let others = [
        "event", "sim", "guard", "core", "llm", "source", "store", "runner", "engine", "http", "mcp", "cli",
    ]
    .map(|name| member(&format!("gemicro-{name}"), &[]));
    let mut packages: Vec<CargoPackage> = others
        .into_iter()
        .filter(|other| other.name != package.name)
        .collect();
    packages.push(package);
    Metadata {
        workspace_members: packages.iter().map(|package| package.id.clone()).collect(),
        built: None,
        packages,
    }
}

#[test]
fn crate_arrows() {
    for (from, to, kind, allowed) in [
        ("gemicro-core", "gemicro-event", None, true),
        ("gemicro-event", "gemicro-core", None, false),
        ("gemicro-event", "gemicro-core", Some("dev"), false),
        ("gemicro-event", "gemicro-sim", Some("dev"), true),
        ("gemicro-core", "gemicro-core", Some("dev"), true),
        ("gemicro-core", "gemicro-sim", None, false),
        ("gemicro-source", "gemicro-store", None, false),
        ("gemicro-store", "gemicro-source", Some("build"), false),
        ("gemicro-guard", "gemicro-core", None, false),
        ("gemicro-engine", "gemicro-store", None, true),
        ("gemicro-engine", "gemicro-mcp", None, false),
        ("gemicro-engine", "gemicro-cli", Some("dev"), false),
        ("gemicro-http", "gemicro-mcp", None, false),
        ("gemicro-http", "gemicro-store", None, false),
        ("gemicro-cli", "gemicro-store", None, true),
        ("gemicro-cli", "gemicro-sim", None, true),
        ("xtask", "gemicro-event", None, false),
        ("gemicro-core", "serde", None, true),
    ] {
        let offences = arrows::check(&workspace(member(from, &[(to, kind)])));
        assert_eq!(
            offences.is_empty(),
            allowed,
            "{from} -> {to} {kind:?}: {offences:?}"
        );
    }
    let unknown = arrows::check(&workspace(member("gemicro-extra", &[])));
    assert!(
        unknown[0]
            .to_string()
            .contains("gemicro-extra is not in the table of arrows"),
        "{unknown:?}"
    );
}

#[test]
fn core_tree_holds_no_system() {
    let good = "gemicro-core v0.1.0 (x)|\ntokio v1.54.1|default,macros,rt,sync,time\nserde v1.0.229|std\n";
    assert!(core_tree::check_tree(good).is_empty());
    for (line, part) in [
        ("mio v1.0.0|net", "mio v1.0.0"),
        ("sqlx v0.9.0|", "sqlx"),
        ("tokio v1.54.1|fs,rt", "`fs`"),
        ("tokio v1.54.1|process", "`process`"),
        ("tokio v1.54.1|net", "`net`"),
    ] {
        let offences = core_tree::check_tree(&format!("{good}{line}\n{line}\n"));
        assert_eq!(offences.len(), 1, "{line}");
        assert!(offences[0].message.contains(part), "{offences:?}");
    }
}

#[test]
fn core_manifest_asks_for_no_system() {
    let core = |kind: Option<&str>, features: &[&str]| {
        let mut package = member("gemicro-core", &[("tokio", kind)]);
        package.dependencies[0].features = features.iter().map(|feature| (*feature).to_owned()).collect();
        core_tree::check_manifest(&workspace(package)).len()
    };
    assert_eq!(core(None, &["rt", "time"]), 0);
    assert_eq!(core(None, &["rt", "fs", "full"]), 2);
    assert_eq!(core(Some("dev"), &["fs"]), 0);
}

#[test]
fn circles() {
    let found = |texts: &[(&str, &str)]| {
        let file = |(path, text): &(&str, &str)| SourceFile {
            path: format!("crates/gemicro-engine/src/{path}"),
            text: format!("//! Doc.\n{text}"),
        };
        let files: Vec<SourceFile> = texts.iter().map(file).collect();
        check_files(&[], &files).len()
    };
    let map = (
        "lib.rs",
        "mod a;\nmod b;\npub use a::{One, other::Two};\npub use b::Three;\n",
    );
    let uses_b = (
        "a.rs",
        "use std::fmt;\n\nuse super::b::{\n    self,\n    Three,\n};\n",
    );
    assert_eq!(found(&[map, uses_b, ("b.rs", "")]), 0);
    // Through the map, in a group, in a test.
    assert_eq!(found(&[map, uses_b, ("b.rs", "use crate::One;\n")]), 1);
    assert_eq!(
        found(&[map, uses_b, ("b.rs", "use crate::{One as Other, x};\n")]),
        1
    );
    assert_eq!(
        found(&[
            map,
            uses_b,
            ("b.rs", "#[cfg(test)]\nmod tests {\n    use crate::One;\n}\n")
        ]),
        0
    );
    assert_eq!(found(&[map, uses_b, ("b.rs", "use gemicro_core::a;\n")]), 0);
    // Over three files, and one of them in a folder.
    let three = [
        map,
        uses_b,
        ("b.rs", "use crate::c::d::Four;\n"),
        ("c/d.rs", "use super::super::a::One;\n"),
    ];
    assert_eq!(found(&three), 1);
}
