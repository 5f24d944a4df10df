//! Forbids cycles between the files of one crate: if a file uses another, that one must not use it in turn.
//!
//! Based on `use` lines. A name that a map (`lib.rs`, `mod.rs`) re-exports counts as that of the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use super::file_place::{self, FilePurpose};
use super::offence::Offence;
use super::rust_code::RustCode;
use crate::repository::SourceFile;

/// Crates that this rule applies to.
const CRATES: [&str; 4] = [
    "gemicro-agents",
    "gemicro-steps",
    "gemicro-engine",
    "gemicro-chat",
];

/// The modules that each module uses, as paths such as `crate::batches::request`.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Checks all files of these crates.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Offence> {
    CRATES.iter().flat_map(|name| check_crate(name, files)).collect()
}

fn check_crate(name: &str, files: &[SourceFile]) -> Vec<Offence> {
    let (mut modules, mut maps, mut paths) = (Uses::new(), Uses::new(), BTreeMap::new());
    let root = format!("crates/{name}/src/");
    for file in files {
        let inside = file
            .path
            .strip_prefix(&root)
            .and_then(|path| path.strip_suffix(".rs"));
        let Some(inside) = inside.filter(|_| file_place::of(&file.path).purpose == FilePurpose::Product)
        else {
            continue;
        };
        let whole = format!("crate::{}", inside.replace('/', "::"));
        let map = whole
            .strip_suffix("::lib")
            .or_else(|| whole.strip_suffix("::mod"));
        let module = map.unwrap_or(&whole);
        let into = if map.is_some() { &mut maps } else { &mut modules };
        into.insert(module.to_owned(), uses(&file.text, module));
        paths.insert(module.to_owned(), file.path.as_str());
    }
    let mut known = BTreeSet::new();
    let circles = modules
        .keys()
        .filter_map(|module| circle(&[module], &modules, &maps, &mut known));
    let offence = |circle: Vec<&str>| {
        let message = format!("these files use each other in a circle: {}", circle.join(", "));
        Offence::new(paths[circle[0]], 1, message)
    };
    circles.map(offence).collect()
}

/// The first cycle that continues this path.
fn circle<'m>(
    way: &[&'m str],
    modules: &'m Uses,
    maps: &Uses,
    known: &mut BTreeSet<&'m str>,
) -> Option<Vec<&'m str>> {
    let last = way.last().copied().filter(|last| known.insert(last))?;
    let arrows = modules[last].iter().filter_map(|used| owner(used, modules, maps));
    arrows
        .filter(|to| *to != last)
        .find_map(|to| match way.iter().position(|it| *it == to) {
            Some(start) => Some(way[start..].to_vec()),
            None => circle(&[way, &[to]].concat(), modules, maps, known),
        })
}

/// The file that defines what a path names; `None` for another crate, or for a map.
fn owner<'m>(used: &str, modules: &'m Uses, maps: &Uses) -> Option<&'m str> {
    let mut module = used;
    loop {
        if let Some((known, _)) = modules.get_key_value(module) {
            return Some(known);
        }
        if let Some(map) = maps.get(module) {
            let name = used.strip_prefix(module)?.split("::").nth(1)?;
            let passed_on = map.iter().find(|it| it.ends_with(&format!("::{name}")));
            return owner(passed_on.filter(|it| *it != used)?, modules, maps);
        }
        module = module.rsplit_once("::")?.0;
    }
}

/// Every path in the `use` lines of a module, outside tests, starting from the crate.
fn uses(text: &str, module: &str) -> BTreeSet<String> {
    let code = RustCode::new(text);
    let lines = code.lines().filter(|line| !line.in_test);
    let code: String = lines.map(|line| line.code + "\n").collect();
    let mut found = Vec::new();
    for (start, word) in code.match_indices("use ") {
        if code[..start].chars().next_back().is_none_or(char::is_whitespace) {
            let tree = code[start + word.len()..].split(';').next().unwrap_or_default();
            expand(tree, String::new(), &mut found);
        }
    }
    let absolute = |path: String| {
        let (mut from, mut rest) = (module, path.as_str());
        while let Some(above) = rest.strip_prefix("super::") {
            (from, rest) = (from.rsplit_once("::").map_or(from, |(parent, _)| parent), above);
        }
        match rest.starts_with("crate::") {
            true => path,
            false => format!("{from}::{}", rest.trim_start_matches("self::")),
        }
    };
    found.into_iter().map(absolute).collect()
}

fn expand(tree: &str, before: String, found: &mut Vec<String>) {
    let (path, group) = match tree.split_once('{') {
        Some((path, group)) => (path, group.rsplit_once('}').map(|(group, _)| group)),
        None => (tree.split(" as ").next().unwrap_or_default(), None),
    };
    let path = before + path.trim();
    let Some(group) = group else {
        return found.push(path.trim_end_matches("::self").to_owned());
    };
    let mut depth = 0;
    let parts = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts
        .filter(|part| !part.trim().is_empty())
        .for_each(|part| expand(part, path.clone(), found));
}
