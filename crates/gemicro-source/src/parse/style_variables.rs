//! Custom properties of CSS: [`StyleVariables`].

use std::collections::HashMap;

/// Maximum number of values that are tried for one declaration, and how deep variables name others.
const MAX_VALUES: usize = 16;
const MAX_DEPTH: usize = 4;

/// Every value that the page gives a custom property anywhere. Which one applies is not known: each is tried.
#[derive(Debug, Default)]
pub(super) struct StyleVariables(HashMap<String, Vec<String>>);

impl StyleVariables {
    /// Adds the custom properties of a sheet, without comments and backslashes.
    pub(super) fn read(&mut self, sheet: &str) {
        let declarations = sheet.split(['{', ';', '}']).map(str::trim);
        for declaration in declarations.filter(|declaration| declaration.starts_with("--")) {
            if let Some((name, value)) = declaration.split_once(':') {
                let values = self.0.entry(name.trim().to_ascii_lowercase()).or_default();
                if values.len() < MAX_VALUES {
                    values.push(plain_value(value));
                }
            }
        }
    }

    /// The values that a value can have, with its variables replaced; `value` is in lower case and has no white space.
    pub(super) fn values_of(&self, value: &str) -> Vec<String> {
        let mut values = vec![value.to_owned()];
        for _ in 0..MAX_DEPTH {
            if !values.iter().any(|value| value.contains("var(")) {
                break;
            }
            values = values
                .iter()
                .flat_map(|value| self.replace_first(value))
                .collect();
            values.truncate(MAX_VALUES);
        }
        values
    }

    /// The first variable of a value, replaced by each of its values.
    fn replace_first(&self, value: &str) -> Vec<String> {
        let Some((before, inner)) = value.split_once("var(") else {
            return vec![value.to_owned()];
        };
        let mut depth = 1_usize;
        let end = inner.find(|c| {
            depth = match c {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let (inner, after) = inner.split_at(end.unwrap_or(inner.len()));
        let after = after.strip_prefix(')').unwrap_or(after);
        let (name, default) = match inner.split_once(',') {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (inner, None),
        };
        let known = self.0.get(name).into_iter().flatten().cloned().chain(default);
        known.map(|value| format!("{before}{value}{after}")).collect()
    }
}

/// A value in lower case, without white space and `!important`.
pub(super) fn plain_value(value: &str) -> String {
    let value = value.trim().to_ascii_lowercase();
    let value = value.trim_end_matches("important").trim_end_matches(['!', ' ']);
    value.split_whitespace().collect()
}
