//! What counts as a test.

use std::path::{Path, PathBuf};

use gemicro_batch::patch::{NewText, NotATest, PathRole, role_of, test_lines, tests_only, without_tests};

fn new_text(path: &str, old: Option<&str>, new: &str) -> NewText {
    NewText {
        path: path.to_owned(),
        old: old.map(str::to_owned),
        new: new.to_owned(),
    }
}

fn rust_change(old: &str, new: &str) -> Result<(), NotATest> {
    tests_only(&[new_text("src/lib.rs", Some(old), new)], &[])
}

#[test]
fn roles_of_paths() {
    for path in [
        "tests/a.rs",
        "crates/x/tests/it/main.rs",
        "Tests/x.cpp",
        "test/x.cpp",
        "lib/unittests/x.cc",
        "spec/x.rb",
        "testing/x.h",
        "src/tests.rs",
        "src/test.rs",
        "src/x_test.cc",
        "src/x_tests.rs",
        "test_x.py",
        "lib/ParserTest.cpp",
        "lib/ParserTests.cpp",
        "web/x.test.ts",
        "web/x.spec.ts",
        "tests/CMakeLists.txt",
        "tests/data/a.json",
        "test/meson.build",
        "tests/Makefile",
        "src/tests/mod.rs",
        "src/parser/tests/odd.rs",
        "tests/bin/helper.rs",
    ] {
        assert_eq!(role_of(path), PathRole::Test, "{path}");
    }
    for path in [
        "build.rs",
        "tests/build.rs",
        "Cargo.toml",
        "tests/fixture/Cargo.toml",
        "CMakeLists.txt",
        "src/Makefile",
        "x.cmake",
        "conftest.py",
        "tests/.cargo/config.toml",
        ".github/workflows/test.yml",
        ".gitattributes",
        "test_x.cmake",
        "meson.build",
        "rust-toolchain.toml",
    ] {
        assert_eq!(role_of(path), PathRole::Build, "{path}");
    }
    for path in [
        "src/lib.rs",
        "tests",
        "test",
        "src/latest.cpp",
        "contests/x.rs",
        "benches/x.rs",
        "src/attest.rs",
        "lib/parser.cpp",
        "src/test-data.bin",
        "protest/a.c",
        "README.md",
        "src/bin/backdoor_test.rs",
        "src/bin/tests.rs",
        "examples/x_test.rs",
        "benches/x_tests.rs",
        "src/testing/mod.rs",
        "src/spec/mod.rs",
    ] {
        assert_eq!(role_of(path), PathRole::Product, "{path}");
    }
}

#[test]
fn leave_of_the_user() {
    let change = [new_text("lib/a/check.cpp", None, "x")];
    let with = |pattern: &str| tests_only(&change, &[pattern.to_owned()]).is_ok();
    for pattern in [
        "lib",
        "lib/",
        "lib/a",
        "lib/a/check.cpp",
        "lib/*/*.cpp",
        "**/check.cpp",
        "**",
        "lib/**",
        "./lib",
        "lib/?/check.*",
        "*/a/",
    ] {
        assert!(with(pattern), "{pattern}");
    }
    for pattern in [
        "",
        "/",
        "li",
        "lib/a/check",
        "*.cpp",
        "lib/*.cpp",
        "a/check.cpp",
        "lib/?",
        "**/heck.cpp",
        "*/b/",
    ] {
        assert!(!with(pattern), "{pattern}");
    }
    let outside = tests_only(&[new_text("../x", None, "")], &["**".to_owned()]);
    assert!(matches!(outside, Err(NotATest::Path(_))));
    let product = tests_only(&change, &[]);
    assert_eq!(
        product,
        Err(NotATest::Product {
            path: "lib/a/check.cpp".to_owned()
        })
    );
    let hidden = tests_only(&[new_text("src/tests/../lib.rs", None, "")], &[]);
    assert!(matches!(hidden, Err(NotATest::Path(_))));
}

#[test]
fn tests_in_rust_files() {
    let old = "//! A crate.\n\n/// Adds.\npub fn add(a: u8) -> u8 {\n    a + 1\n}\n\npub fn other() {}\n";
    for addition in [
        "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1), 2);\n    }\n}\n",
        "#[cfg(test)] mod tests;",
        "\n// ---- tests ----\n/// Of `add`.\n#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\n",
        "\n#[cfg(all(test, feature = \"x\"))]\nuse std::fmt::{self, Write};\n",
        "\n#[allow(dead_code)]\n#[cfg(any(test, all(unix, test)))]\npub(crate) unsafe extern \"C\" fn f<T: Into<[u8; { 1 }]>>() where T: Copy, {}\n",
        "\n#[cfg(test)]\nimpl std::fmt::Debug for X { }\n#[cfg(test)]\nconst N: [u8; 2] = { [1; 2] };\n#[cfg(test)]\nstruct S(u8);\n",
        "\n#[cfg(test)]\nmacro_rules! check { () => { \"}\" } }\n",
    ] {
        assert_eq!(
            rust_change(old, &format!("{old}{addition}")),
            Ok(()),
            "{addition}"
        );
        assert_eq!(
            rust_change(&format!("{old}{addition}"), old),
            Ok(()),
            "{addition}"
        );
        let (before, after) = old.split_at(old.find("pub fn other").unwrap());
        assert_eq!(
            rust_change(old, &format!("{before}{addition}\n\n{after}")),
            Ok(()),
            "{addition}"
        );
    }
    let in_file = "#![cfg(test)]\nfn a() {}\n";
    assert_eq!(
        tests_only(&[new_text("src/checks.rs", None, in_file)], &[]),
        Ok(())
    );
}

#[test]
fn tricks_are_no_tests() {
    let old = "fn a() { work(); }\nstruct S { x: u8 }\nm! { one }\n";
    for new in [
        "fn a() {}\nstruct S { x: u8 }\nm! { one }\n".to_owned(),
        format!("{old}#[cfg(not(test))]\nfn evil() {{}}\n"),
        format!("{old}#[cfg(any(test, unix))]\nfn evil() {{}}\n"),
        format!("{old}#[cfg(all())]\nfn evil() {{}}\n"),
        format!("{old}#[cfg(any())]\nfn evil() {{}}\n"),
        format!("{old}#[cfg(feature = \"test\")]\nfn evil() {{}}\n"),
        format!("{old}#[cfg_attr(test, inline)]\nfn evil() {{}}\n"),
        format!("{old}// #[cfg(test)]\nfn evil() {{}}\n"),
        format!("{old}const X: &str = \"#[cfg(test)]\"; fn evil() {{}}\n"),
        format!("{old}const X: &str = r#\"\"#[cfg(test)] mod x {{\"#; fn evil() {{}}\n"),
        format!("{old}#[cfg(test)]\nmod t {{ fn x() {{ let c = '{{'; }} }}\nfn evil() {{}}\n"),
        format!("{old}#[cfg(test)]\nmod t {{ /* }} /* */ }} */ }}\nfn evil() {{}}\n"),
        format!("#![cfg(test)]\n{old}"),
        format!("#[cfg(test)]\n{old}"),
        old.replace("work();", "#[cfg(test)] work();"),
        old.replace("x: u8", "#[cfg(test)] x: u8"),
        old.replace("x: u8", "x: u8, #[cfg(test)] y: u8"),
        old.replace("one", "one #[cfg(test)] fn evil() {}"),
        format!("{old}#[evil]\n#[cfg(test)]\nfn x() {{}}\n"),
        format!("{old}#[evil]\nmod x {{ #[cfg(test)] fn x() {{}} }}\n"),
        format!("{old}macro_rules! cfg {{ () => {{ #[cfg(test)] fn evil() {{}} }} }}\n"),
        old.replace("work", "wo#[cfg(test)]fn x(){}rk"),
        format!("{old}#[cfg(test)]\nfn x() {{}} fn evil() {{}}\n"),
        format!("{old}#[cfg(test)] unsafe {{ }} fn evil() {{}}\n"),
    ] {
        assert!(rust_change(old, &new).is_err(), "{new}");
    }
    let named = rust_change("fn a() {}\n", "fn a() {}\nfn evil() {}\n")
        .unwrap_err()
        .to_string();
    assert_eq!(
        named,
        "`src/lib.rs` changes outside `#[cfg(test)]`, first at `fn evil() {}`: leave the code as it is"
    );
    let new_file = tests_only(&[new_text("src/new.rs", None, "fn a() {}\n")], &[]);
    assert!(matches!(new_file, Err(NotATest::Code { .. })));
}

#[test]
fn empty_lines_in_literals_count() {
    assert!(rust_change("const A: &str = \"x\n\ny\";\n", "const A: &str = \"x\ny\";\n").is_err());
    assert_eq!(
        rust_change("fn a() {}\n\n\n\nfn b() {}\n", "fn a() {}\nfn b() {}\n"),
        Ok(())
    );
    assert_eq!(
        without_tests("use a; // x\n\n#[cfg(test)]\nfn t() {}\n  use b;\n"),
        "use a; // x\n  use b;\n"
    );
}

#[test]
fn odd_files_of_some_size_are_no_labour() {
    for piece in [
        "#[a]impl ",
        "#[cfg(test)]impl ",
        "/**/#[cfg(test)]fn a(){}",
        "#[cfg(all(",
        "// x\n",
        "#[cfg(test)] mod a {",
        "r#",
    ] {
        let text = piece.repeat(50_000 / piece.len());
        assert!(without_tests(&text).len() <= text.len() + 1, "{piece}");
    }
}

#[test]
fn what_follows_a_macro_of_tests_is_code() {
    let old = "fn a(n: u32) -> u32 {\n    n\n}\n";
    for injected in [
        "#[cfg(test)] crate::noop! {} let n = 1;",
        "#[cfg(test)] crate::noop!(); let n = 1;",
        "#[cfg(test)] noop! {} let n = 1;",
    ] {
        let new = format!("fn a(n: u32) -> u32 {{\n    {injected}\n    n\n}}\n");
        assert!(
            matches!(rust_change(old, &new), Err(NotATest::Code { .. })),
            "{injected}"
        );
    }
    let fine = format!("{old}#[cfg(test)]\nextern crate alloc;\n#[cfg(test)]\nuse crate::a;\n");
    assert_eq!(rust_change(old, &fine), Ok(()));
}

/// The sources of this workspace, as samples of Rust as it is written today.
#[test]
fn tests_of_real_files_are_found() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("..")];
    let (mut n_files, mut missed) = (0, Vec::<PathBuf>::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                // Tests have such lines in texts.
                let has_tests = text.contains("\n#[cfg(test)]\n") && !path.ends_with("tests.rs");
                n_files += usize::from(has_tests);
                missed.extend((has_tests && test_lines(&text).is_empty()).then_some(path));
            }
        }
    }
    assert!(n_files > 50, "{n_files}");
    assert_eq!(missed, Vec::<PathBuf>::new());
}
