//! Which tests of a project stand nearest to a file. A ranking by names and words; it needs no build.

use std::cmp::Reverse;
use std::path::Path;

use super::material::Neighbour;
use crate::patch::{PathRole, role_of};
use crate::project::Project;

/// Tests that are shown.
const MOST: usize = 3;
/// Bytes of one of them.
const MOST_BYTES: usize = 12 * 1024;
/// Files whose text is looked into.
const MOST_READ: usize = 200;
/// Names of files that say how a project is built.
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

/// Extensions that tests of such a file have.
fn kinds(extension: &str) -> &'static [&'static str] {
    match extension {
        "rs" => &["rs"],
        "c" | "cc" | "cpp" | "cxx" | "c++" | "h" | "hh" | "hpp" | "hxx" | "ipp" | "tpp" | "inl" => {
            &["c", "cc", "cpp", "cxx", "c++"]
        }
        _ => &["py", "js", "ts", "go", "java", "rs", "cpp", "cc", "c"],
    }
}

/// Folders that both paths share.
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

/// Whether a text has this name as a word.
fn mentions(text: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty() && text.split(|c| !is_name(c)).any(|word| word == name)
}

fn stem(path: &str) -> &str {
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str());
    match stem.unwrap_or_default() {
        // Such names say nothing; the folder's does.
        "mod" | "lib" | "main" => {
            let folder = Path::new(path).parent().and_then(Path::file_name);
            folder.and_then(|name| name.to_str()).unwrap_or_default()
        }
        stem => stem,
    }
}

/// The name of what a test tests: `parser` of `test_parser.cpp` and `parser_tests.rs`.
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
