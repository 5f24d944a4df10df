//! Rejects types and functions whose whole name is a participle: `Found`, `told` and `reading` name neither a thing nor
//! an action.

use super::file_place::{self, FilePurpose};
use super::offence::Offence;
use super::rust_code::RustCode;
use super::type_names::type_name;
use crate::repository::SourceFile;

/// Participles without the endings `-ed` and `-ing`. Those that are also verbs, such as `read`, are left out.
const IRREGULAR: &[&str] = &[
    "begun",
    "bought",
    "broken",
    "brought",
    "built",
    "caught",
    "chosen",
    "done",
    "drawn",
    "driven",
    "fallen",
    "forgotten",
    "found",
    "given",
    "gone",
    "heard",
    "held",
    "hidden",
    "kept",
    "known",
    "laid",
    "led",
    "left",
    "lent",
    "lost",
    "made",
    "meant",
    "paid",
    "said",
    "seen",
    "sent",
    "shown",
    "sold",
    "spent",
    "spoken",
    "stolen",
    "stood",
    "stuck",
    "taken",
    "taught",
    "thought",
    "thrown",
    "told",
    "torn",
    "understood",
    "woken",
    "won",
    "worn",
    "written",
];

/// Nouns and verbs that end like a participle.
const NO_PARTICIPLES: &[&str] = &[
    "beginning",
    "bring",
    "ceiling",
    "closing",
    "embed",
    "encoding",
    "ending",
    "everything",
    "exceed",
    "feed",
    "finding",
    "grounding",
    "heading",
    "meaning",
    "need",
    "nothing",
    "opening",
    "ping",
    "posting",
    "proceed",
    "ranking",
    "recording",
    "sed",
    "seed",
    "setting",
    "sibling",
    "something",
    "speed",
    "spelling",
    "string",
    "succeed",
    "thing",
    "thinking",
    "warning",
];

/// Functions named after their result: a changed copy, or a state that has no other name.
const RESULTS: &[&str] = &[
    "closed",
    "embedded",
    "encoded",
    "escaped",
    "expecting",
    "fenced",
    "hyphenated",
    "injected",
    "malformed",
    "merged",
    "missing",
    "quoted",
    "remaining",
    "required",
    "reserved",
    "shared",
    "shortened",
    "sorted",
    "unauthorised",
    "uncovered",
    "underscored",
    "unknown",
    "unsigned",
];

/// Checks the types and functions that one product file declares.
pub(crate) fn check(file: &SourceFile) -> Vec<Offence> {
    let place = file_place::of(&file.path);
    if place.package.is_empty() || place.purpose != FilePurpose::Product {
        return Vec::new();
    }
    let mut offences = Vec::new();
    for line in RustCode::new(&file.text).lines().filter(|line| !line.in_test) {
        if let Some(name) = type_name(&line.code).filter(|name| is_participle(name)) {
            let message = format!("type `{name}` is a bare participle: add the noun");
            offences.push(Offence::new(&file.path, line.number, message));
        }
        let function = function_name(&line.code).filter(|name| is_participle(name));
        if let Some(name) = function.filter(|name| !RESULTS.contains(name)) {
            let message = format!("function `{name}` is a bare participle: say what it does or returns");
            offences.push(Offence::new(&file.path, line.number, message));
        }
    }
    offences
}

/// Whether a name is a single word that is a participle, also with the prefix `un` or `re`.
fn is_participle(name: &str) -> bool {
    let word = name.to_lowercase();
    let n_capitals = name.chars().filter(|c| c.is_uppercase()).count();
    if name.contains('_') || n_capitals > 1 || NO_PARTICIPLES.contains(&word.as_str()) {
        return false;
    }
    let stem = ["un", "re"].iter().find_map(|prefix| word.strip_prefix(prefix));
    let is_irregular = |word: &str| IRREGULAR.contains(&word);
    word.ends_with("ed") || word.ends_with("ing") || is_irregular(&word) || stem.is_some_and(is_irregular)
}

/// The function that a line declares.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_keyword = before.is_empty() || before.ends_with(' ');
    let name = after.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (is_keyword && !name.is_empty()).then_some(name)
}
