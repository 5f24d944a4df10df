//! Derives how tests import from a file, because small models guess it wrong.

use std::path::Path;

use crate::project::Project;

/// The import line of a Rust or Python test, such as `use postage::price::NAME;`; `None` if the path does not show it.
pub(super) fn import_line(project: &Project, target: &str) -> Option<String> {
    let path = Path::new(target);
    match path.extension()?.to_str()? {
        "rs" => Some(format!("use {}::NAME;", rust_module(project, path)?)),
        "py" => Some(format!("from {} import NAME", python_module(path)?)),
        _ => None,
    }
}

fn rust_module(project: &Project, path: &Path) -> Option<String> {
    path.ancestors().skip(1).find_map(|folder| {
        let manifest = folder.join("Cargo.toml");
        let text = project.read(manifest.to_str()?).ok().flatten()?;
        let manifest: toml::Table = text.parse().ok()?;
        let name = manifest.get("lib").and_then(|lib| lib.get("name"));
        let name = name.or_else(|| manifest.get("package")?.get("name"))?.as_str()?;
        let inside = path.strip_prefix(folder).ok()?.strip_prefix("src").ok()?;
        let mut modules = parts(inside)?;
        match modules.last().map(String::as_str) {
            // Tests cannot import a binary.
            Some("main") => return None,
            Some("lib" | "mod") => drop(modules.pop()),
            Some(_) | None => {}
        }
        let is_program = modules.first().is_some_and(|first| first == "bin");
        let whole: Vec<String> = std::iter::once(name.replace('-', "_")).chain(modules).collect();
        (!is_program).then(|| whole.join("::"))
    })
}

fn python_module(path: &Path) -> Option<String> {
    let mut modules = parts(path.strip_prefix("src").unwrap_or(path))?;
    if modules.last().is_some_and(|last| last == "__init__") {
        modules.pop();
    }
    let is_name = |part: &String| part.chars().all(|c| c.is_alphanumeric() || c == '_');
    (!modules.is_empty() && modules.iter().all(is_name)).then(|| modules.join("."))
}

/// The folders and the file name without its extension.
fn parts(path: &Path) -> Option<Vec<String>> {
    let path = path.with_extension("");
    path.iter().map(|part| part.to_str().map(str::to_owned)).collect()
}
