//! The words of a command as its program takes them: each option by one name, with its value.

use super::option_table;

/// An option or an operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given<'w> {
    /// Folded: `--passWithNoTests` and `--pass-with-no-tests` are one.
    pub(super) name: String,
    /// What is joined to it: `--name=value`, `-jvalue`.
    attached: Option<&'w str>,
    /// The word after it, which may be its value.
    next: Option<&'w str>,
    /// As written.
    pub(super) word: &'w str,
}

/// Reads the words after a program's name.
pub(super) fn given<'w>(program: &str, words: &[&'w str]) -> Vec<Given<'w>> {
    let mut all = Vec::new();
    for (idx, word) in words.iter().enumerate() {
        let next = words.get(idx + 1).copied();
        one(program, word, next, &mut all);
    }
    all
}

/// Reads one word.
pub(super) fn one<'w>(program: &str, word: &'w str, next: Option<&'w str>, all: &mut Vec<Given<'w>>) {
    let mut add = |name: String, attached: Option<&'w str>| {
        all.push(Given {
            name,
            attached,
            next,
            word,
        });
    };
    let (written, value) = match word.split_once('=') {
        Some((written, value)) => (written, Some(value)),
        None => (word, None),
    };
    // `mvn -D name`, `--define name`: a property is an option of its own.
    if let ("mvn", "-D" | "--define", Some(property)) = (program, word, next) {
        let (name, value) = property.split_once('=').unwrap_or((property, "true"));
        add(format!("-D{name}"), Some(value));
        return;
    }
    let is_long = written.starts_with("--")
        || (written.len() > 2 && written.starts_with('-') && option_table::has_long_with_one_dash(program));
    let group = word.strip_prefix('-').filter(|group| !group.is_empty());
    match (group, option_table::valued(program)) {
        _ if is_long => add(whole(program, &folded(written)), value),
        (Some(group), Some(valued)) => {
            for (at, flag) in group.char_indices() {
                let takes = valued.contains(flag);
                let rest = group
                    .get(at + flag.len_utf8()..)
                    .filter(|rest| takes && !rest.is_empty());
                add(format!("-{flag}"), rest.map(|rest| rest.trim_start_matches('=')));
                if takes {
                    break;
                }
            }
        }
        (Some(_), None) => add(written.to_owned(), value),
        (None, _) => add(word.to_owned(), None),
    }
}

/// A long option in one spelling.
pub(super) fn folded(option: &str) -> String {
    let letters: String = option
        .chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect();
    // `go test -args -test.list=.`
    let letters = letters.strip_prefix("test.").unwrap_or(&letters);
    let dashes = if letters.chars().count() == 1 { "-" } else { "--" };
    format!("{dashes}{letters}")
}

/// What `make` takes a beginning of a long option for.
fn whole(program: &str, name: &str) -> String {
    let listed = match program {
        "make" => option_table::MAKE_LONG,
        _ => "",
    };
    let mut options = listed.split_whitespace().map(folded);
    options
        .find(|option| option.starts_with(name))
        .unwrap_or_else(|| name.to_owned())
}

impl Given<'_> {
    /// Whether this is the option of a list: `--name`, or `--name=value` where the value matters.
    pub(super) fn is(&self, listed: &str) -> bool {
        let (name, value) = match listed.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (listed, None),
        };
        let is_named = if name.starts_with("--") {
            folded(name) == self.name
        } else {
            name == self.name
        };
        let has_value = match value {
            Some(value) => self.value() == Some(value),
            None => self.attached.is_none_or(is_yes),
        };
        is_named && has_value
    }

    /// Whether it is in a list.
    pub(super) fn is_in(&self, list: &str) -> bool {
        list.split_whitespace().any(|listed| self.is(listed))
    }

    /// Its value, if it takes one.
    pub(super) fn value(&self) -> Option<&str> {
        self.attached.or(self.next)
    }

    /// `--list-tests` and all its like; `prettier --list-different` is a check.
    pub(super) fn lists(&self) -> bool {
        let is_listing = self.name.starts_with("--list") && self.attached.is_none_or(is_yes);
        is_listing && !matches!(self.name.as_str(), "--listdifferent" | "--listen")
    }

    /// `--failure-exit-code 0`: a failure is told as a success.
    pub(super) fn gives_success(&self) -> bool {
        let is_status = self.name.ends_with("exitcode") || self.name.ends_with("exitstatus");
        self.name.starts_with("--") && is_status && self.value() == Some("0")
    }
}

/// Whether a value turns an option on.
pub(super) fn is_yes(value: &str) -> bool {
    !matches!(value.to_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
}
