//! Classifies files by their path: test, build file or product code.

/// The role of a file, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRole {
    /// A test, or something that belongs to tests.
    Test,
    /// It controls how the project is built or how a tool behaves; never a test.
    Build,
    /// Anything else.
    Product,
}

/// Folders whose files are tests, regardless of their name.
const TEST_FOLDERS: &[&str] = &[
    "tests",
    "test",
    "testing",
    "unittests",
    "unittest",
    "spec",
    "__tests__",
];
/// Build files in any folder: code run by the build, and manifests that name such code.
const BUILD_FILES: &[&str] = &[
    "build.rs",
    "cargo.toml",
    "cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
];
/// Build lists. In a test folder they list tests.
const BUILD_LISTS: &[&str] = &[
    "cmakelists.txt",
    "meson.build",
    "meson_options.txt",
    "makefile",
    "gnumakefile",
    "makefile.am",
    "build",
    "build.bazel",
    "workspace",
    "workspace.bazel",
    "conftest.py",
    "package.json",
    "setup.py",
    "pyproject.toml",
    "configure.ac",
];
const BUILD_ENDINGS: &[&str] = &[".cmake", ".mk", ".bzl", ".gradle"];

/// The role of a path that [`check_path`](super::check_path) accepts.
#[must_use]
pub fn role_of(path: &str) -> PathRole {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let lower_file = file.to_lowercase();
    // Names that begin with a dot configure a tool, such as git, cargo or the editor.
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    if is_hidden || BUILD_FILES.contains(&lower_file.as_str()) {
        return PathRole::Build;
    }
    let is_test_folder = |folder: &str| TEST_FOLDERS.iter().any(|name| folder.eq_ignore_ascii_case(name));
    // Cargo builds these into programs, whatever their name; and under `src` most names belong to the product.
    let is_rust = lower_file.ends_with(".rs");
    let parts: Vec<&str> = folders.split('/').collect();
    let is_program = ["bin", "examples", "benches"]
        .iter()
        .any(|name| parts.contains(name));
    let in_source = parts.contains(&"src");
    if is_rust && is_program && !parts.contains(&"tests") {
        return PathRole::Product;
    }
    if is_rust && in_source {
        let is_test = parts.contains(&"tests") || is_test_name(file);
        return if is_test {
            PathRole::Test
        } else {
            PathRole::Product
        };
    }
    if folders.split('/').any(is_test_folder) {
        return PathRole::Test;
    }
    let is_list = BUILD_LISTS.contains(&lower_file.as_str())
        || BUILD_ENDINGS.iter().any(|ending| lower_file.ends_with(ending));
    if is_list {
        PathRole::Build
    } else if is_test_name(file) {
        PathRole::Test
    } else {
        PathRole::Product
    }
}

/// Matches `test_x.c`, `x_test.cc`, `x_tests.rs`, `XTest.cpp`, `XTests.cpp`, `tests.rs`, `x.test.ts`, `x.spec.ts`.
fn is_test_name(file: &str) -> bool {
    let mut parts = file.split('.');
    let stem = parts.next().unwrap_or_default();
    let endings: Vec<&str> = parts.collect();
    let Some((_, between)) = endings.split_last() else {
        return false;
    };
    ["test", "tests"].contains(&stem)
        || stem.starts_with("test_")
        || ["_test", "_tests", "Test", "Tests"]
            .iter()
            .any(|ending| stem.ends_with(ending))
        || between.iter().any(|part| ["test", "spec"].contains(part))
}
