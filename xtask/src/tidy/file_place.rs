//! Derives facts about a Rust file from its path: its crate, and whether it is test code.

/// A Rust file's place in the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilePlace<'a> {
    /// `gemicro-core`, `xtask`, or empty outside both.
    pub(crate) package: &'a str,
    /// The last part of the path.
    pub(crate) file_name: &'a str,
    /// The purpose of the file.
    pub(crate) purpose: FilePurpose,
}

/// The purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilePurpose {
    /// Part of the product.
    Product,
    Test,
    /// Examples and build scripts: not shipped, but read as examples of good code.
    Beside,
}

/// Reads a path such as `crates/gemicro-core/src/flow.rs`.
pub(crate) fn of(path: &str) -> FilePlace<'_> {
    let parts: Vec<&str> = path.split('/').collect();
    let package = match parts.as_slice() {
        ["crates", package, ..] => package,
        ["xtask", ..] => "xtask",
        _ => "",
    };
    let (file_name, folders) = parts
        .split_last()
        .map_or(("", &[][..]), |(last, rest)| (*last, rest));
    let purpose = if file_name == "tests.rs"
        || file_name.ends_with("_tests.rs")
        || folders.iter().any(|folder| ["tests", "benches"].contains(folder))
    {
        FilePurpose::Test
    } else if folders.contains(&"examples") || file_name == "build.rs" {
        FilePurpose::Beside
    } else {
        FilePurpose::Product
    };
    FilePlace {
        package,
        file_name,
        purpose,
    }
}
