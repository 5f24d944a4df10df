//! Each part of the policy, shown to fail on a bad input.

use super::check::{check, duplicates};
use super::policy::LICENCES;
use super::spdx;
use crate::metadata::{CargoPackage, Dependency, Metadata};

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn package(name: &str, version: &str, license: Option<&str>, source: Option<&str>) -> CargoPackage {
    CargoPackage {
        id: format!("{name} {version}"),
        name: name.to_owned(),
        version: version.to_owned(),
        license: license.map(str::to_owned),
        source: source.map(str::to_owned),
        ..CargoPackage::default()
    }
}

fn check_package(package: CargoPackage) -> Vec<String> {
    check(&Metadata {
        packages: vec![package],
        workspace_members: Vec::new(),
        built: None,
    })
}

#[test]
fn expressions() {
    for (expression, expected) in [
        ("MIT", true),
        ("MIT OR GPL-3.0-only", true),
        ("GPL-3.0-only", false),
        ("MIT AND GPL-3.0-only", false),
        ("MIT AND (GPL-3.0-only OR ISC)", true),
        ("GPL-3.0-only OR MIT AND ISC", true),
        ("(GPL-3.0-only OR MIT) AND MPL-2.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("MIT WITH LLVM-exception", false),
        ("Unlicense/MIT", true),
        ("Apache-2.0 / MIT / MPL-2.0", true),
        ("mit", false),
    ] {
        let satisfied = spdx::is_satisfied(expression, &|licence| LICENCES.contains(&licence)).unwrap();
        assert_eq!(satisfied, expected, "{expression}");
    }
}

#[test]
fn broken_expressions_are_errors() {
    for expression in ["", "MIT OR", "(MIT", "MIT)", "AND MIT", "MIT ISC", "MIT WITH"] {
        assert!(spdx::is_satisfied(expression, &|_| true).is_err(), "{expression}");
    }
}

#[test]
fn packages() {
    for (package, expected) in [
        (package("good", "1.0.0", Some("MIT"), Some(REGISTRY)), &[][..]),
        (
            package("bare", "1.0.0", None, Some(REGISTRY)),
            &["bare 1.0.0: states no licence"],
        ),
        (
            package("free", "1.0.0", Some("GPL-3.0-only"), Some(REGISTRY)),
            &["free 1.0.0: licence `GPL-3.0-only`"],
        ),
        (
            package("odd", "1.0.0", Some("MIT OR"), Some(REGISTRY)),
            &["odd 1.0.0: licence `MIT OR` cannot be read"],
        ),
        (
            package("fork", "1.0.0", Some("MIT"), Some("git+https://example.com/fork")),
            &["fork 1.0.0: comes from git+https"],
        ),
        (
            package("beside", "1.0.0", Some("MIT"), None),
            &["beside 1.0.0: comes from a folder outside"],
        ),
        (
            package("openssl", "0.10.0", Some("MIT"), Some(REGISTRY)),
            &["openssl 0.10.0: banned: TLS"],
        ),
    ] {
        let offences = check_package(package);
        assert_eq!(offences.len(), expected.len(), "{offences:?}");
        for (offence, start) in offences.iter().zip(expected) {
            assert!(offence.starts_with(start), "{offence}");
        }
    }
}

#[test]
fn direct_dependencies() {
    let depends = |name: &str, on: &str| {
        let dependencies = vec![Dependency {
            name: on.to_owned(),
            ..Dependency::default()
        }];
        let package = CargoPackage {
            dependencies,
            ..package(name, "0.1.0", Some("MIT"), None)
        };
        let workspace_members = vec![package.id.clone()];
        check(&Metadata {
            packages: vec![package],
            workspace_members,
            built: None,
        })
    };
    assert_eq!(
        depends("gemicro-core", "anyhow"),
        ["gemicro-core: depends on anyhow, banned: libraries have typed errors"]
    );
    assert!(depends("gemicro-cli", "anyhow").is_empty());
    assert_eq!(depends("gemicro-cli", "async-trait").len(), 1);
}

#[test]
fn duplicate_versions_are_only_reported() {
    let packages = ["1.0.0", "2.0.0"].map(|version| package("twice", version, Some("MIT"), Some(REGISTRY)));
    let metadata = Metadata {
        packages: packages.to_vec(),
        workspace_members: Vec::new(),
        built: None,
    };
    assert!(check(&metadata).is_empty());
    assert_eq!(duplicates(&metadata), ["twice (1.0.0, 2.0.0)"]);
}
