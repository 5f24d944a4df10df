//! Finds the tests of a project that are closest to a file, by names and words. It needs no build.

use std::cmp::Reverse;
use std::path::Path;

use super::material::Neighbour;
use crate::patch::{PathRole, role_of};
use crate::project::Project;

/// Maximum number of tests shown.
const MOST: usize = 3;
/// Maximum size of each, in bytes.
const MOST_BYTES: usize = 12 * 1024;
/// Maximum number of files that are read.
const MOST_READ: usize = 200;
/// Names of build files.
const BUILD_FILES: &[&str] = &[
    "Cargo.toml",
    "CMakeLists.txt",
    "Makefile",
    "meson.build",
    "BUILD",
    "BUILD.bazel",
    "conanfile.txt",
    "configure.ac",
];
/// Maximum number of layout names shown.
const MOST_NAMES: usize = 40;

/// The nearest tests of a file, nearest first.
pub(super) fn neighbours(project: &Project, files: &[String], target: &str) -> Vec<Neighbour> {
    let stem = stem(target);
    let kind = extension(target);
    let tests = files.iter().filter(|path| {
        let is_same_kind = kinds(kind).contains(&extension(path));
        *path != target && is_same_kind && role_of(path) == PathRole::Test
    });
    let by_path = |path: &str| {
        let by_name = if stem_of_test(path) == stem { 8 } else { 0 };
        by_name + nearness(path, target)
    };
    let mut tests: Vec<(u32, &String)> = tests.map(|path| (by_path(path), path)).collect();
    tests.sort_by_key(|(points, path)| (Reverse(*points), *path));
    let mut ranked: Vec<(u32, &String, String)> = tests
        .into_iter()
        .take(MOST_READ)
        .filter_map(|(points, path)| {
            let text = project.read(path).ok().flatten()?;
            let by_words = if mentions(&text, stem) { 4 } else { 0 };
            Some((points + by_words, path, text))
        })
        .collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked
        .into_iter()
        .take(MOST)
        .map(|(_, path, text)| {
            let cut = text.floor_char_boundary(MOST_BYTES);
            Neighbour {
                path: path.clone(),
                is_cut: cut < text.len(),
                text: text[..cut].to_owned(),
            }
        })
        .collect()
}

/// Build files and tests, by name.
pub(super) fn layout(files: &[String]) -> Vec<String> {
    let is_reported = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        BUILD_FILES.contains(&name) || role_of(path) == PathRole::Test
    };
    files
        .iter()
        .filter(is_reported)
        .take(MOST_NAMES)
        .cloned()
        .collect()
}

/// The extensions of tests for such a file.
fn kinds(extension: &str) -> &'static [&'static str] {
    match extension {
        "rs" => &["rs"],
        "c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hh" | "hpp" | "hxx" | "ipp" | "tpp" | "inl" => {
            &["c", "cc", "cpp", "cxx", "c++"]
        }
        _ => &["py", "js", "ts", "go", "java", "rs", "cpp", "cc", "c"],
    }
}

/// Number of leading folders that both paths share, at most 3.
fn nearness(path: &str, target: &str) -> u32 {
    let folders = |path: &str| -> Vec<String> {
        let parent = Path::new(path).parent();
        parent
            .into_iter()
            .flat_map(Path::components)
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let shared = folders(path)
        .into_iter()
        .zip(folders(target))
        .take_while(|(a, b)| a == b)
        .count();
    u32::try_from(shared.min(3)).unwrap_or(3)
}

/// Whether a text contains this name as a word.
fn mentions(text: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty() && text.split(|c| !is_name(c)).any(|word| word == name)
}

fn stem(path: &str) -> &str {
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str());
    match stem.unwrap_or_default() {
        // These names say nothing; the folder's name does.
        "mod" | "lib" | "main" => {
            let folder = Path::new(path).parent().and_then(Path::file_name);
            folder.and_then(|name| name.to_str()).unwrap_or_default()
        }
        stem => stem,
    }
}

/// The name of the code under test: `parser` for `test_parser.cpp` and `parser_tests.rs`.
fn stem_of_test(path: &str) -> &str {
    let stem = Path::new(path)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if stem == "tests" || stem == "test" {
        let folder = Path::new(path).parent().and_then(Path::file_name);
        return folder.and_then(|name| name.to_str()).unwrap_or_default();
    }
    let ends = ["_tests", "_test", "Tests", "Test", ".test", ".spec"];
    let bare = ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    bare.strip_prefix("test_").unwrap_or(bare)
}

fn extension(path: &str) -> &str {
    Path::new(path)
        .extension()
        .and_then(|it| it.to_str())
        .unwrap_or_default()
}
