//! Checks the form of files: their length, their opening `//!`, and that maps (`lib.rs`, `mod.rs`) contain no logic.

use super::file_place::{self, FilePurpose};
use super::offence::Offence;
use super::rust_code::RustCode;
use crate::repository::SourceFile;

/// Product, tests and examples alike.
const LINES: usize = 400;

/// Checks one Rust file.
pub(crate) fn check(file: &SourceFile) -> Vec<Offence> {
    let mut offences = Vec::new();
    let place = file_place::of(&file.path);
    let lines = file.text.lines().count();
    if lines > LINES {
        offences.push(Offence::new(
            &file.path,
            LINES + 1,
            format!("{lines} lines, at most {LINES}: split by concept"),
        ));
    }
    if !place.package.is_empty() && !file.text.starts_with("//!") {
        offences.push(Offence::new(
            &file.path,
            1,
            "does not start with `//!`: say what it is, and name its main type",
        ));
    }
    if ["lib.rs", "mod.rs"].contains(&place.file_name) && place.purpose == FilePurpose::Product {
        let code = RustCode::new(&file.text);
        offences.extend(code.function_bodies().into_iter().map(|line| {
            Offence::new(
                &file.path,
                line,
                "a function body in lib.rs or mod.rs: move it to its own file",
            )
        }));
    }
    offences
}
