//! Shells among the words of a command, and texts that programs hand to one.

use super::Masked;
use super::option;
use super::option_table;
use super::program::{Kind, Script};
use super::table;
use super::word::Word;

/// The text that a shell anywhere among the words is given, or what a shell without one is.
pub(super) fn script(words: &[Word]) -> Option<Kind> {
    // Programs that only look for words may look for one of these.
    let looks = words.first().and_then(Word::program).is_some_and(|name| {
        table::SOURCES.contains(&name) || table::LOOKERS.contains(&name) || table::has(table::TELLERS, name)
    });
    for (idx, word) in words.iter().enumerate() {
        let Some(name) = word.base() else { continue };
        if table::SHELLS.contains(&name) && !looks {
            let kind = shell(&words[idx..], idx == 0);
            if kind.is_some() {
                return kind;
            }
        }
        if idx == 0
            && let Some(kind) = carrier(words)
        {
            return Some(kind);
        }
    }
    None
}

/// A shell: with `-c` it runs a text, with a file it is a program like any other, without both it reads its input.
fn shell(words: &[Word], is_first: bool) -> Option<Kind> {
    let mut script = Script {
        text: None,
        errexit: false,
        pipefail: false,
    };
    let (mut has_text, mut only_reads) = (false, false);
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let Some(option) = word
            .known()
            .filter(|text| text.starts_with(['-', '+']) && text.len() > 1)
        else {
            break;
        };
        at += 1;
        if option == "--" {
            break;
        }
        if let Some(long) = option.strip_prefix("--") {
            only_reads |= is_noexec(long) || long.starts_with("dump-");
            at += usize::from(matches!(long, "init-file" | "rcfile"));
            continue;
        }
        let turns_on = option.starts_with('-');
        only_reads |= turns_on && option.contains(['n', 'D']);
        has_text |= turns_on && option.contains('c');
        if option.contains('e') {
            script.errexit = turns_on;
        }
        if option.ends_with(['o', 'O']) {
            match words.get(at).and_then(Word::known) {
                Some("pipefail") => script.pipefail = turns_on,
                Some("errexit") => script.errexit = turns_on,
                Some(name) if is_noexec(name) => only_reads |= turns_on,
                Some(_) | None => {}
            }
            at += 1;
        }
    }
    let name = words.first().and_then(Word::base).unwrap_or_default();
    if only_reads && (is_first || at < words.len()) {
        let reason = format!("`{name} -n` only reads what it is given, and runs nothing of it");
        return Some(Kind::Idle(Masked::new(name, reason)));
    }
    if has_text {
        script.text = words.get(at).and_then(Word::known).map(str::to_owned);
        return Some(Kind::Script(script));
    }
    let reads_input = is_first && at >= words.len();
    reads_input.then(|| {
        let reason = format!("`{name}` runs what it reads, which is not known before: give it with `-c`");
        Kind::Hides(Masked::new(name, reason))
    })
}

/// Whether this is a name of the option with which nothing is run.
fn is_noexec(name: &str) -> bool {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.eq("noexec".chars())
}

/// `su -c text`, `npx -c text`: only the text matters, and whether its status comes back.
fn carrier(words: &[Word]) -> Option<Kind> {
    let name = words.first()?.program()?;
    let list = option_table::of(option_table::CARRYING, name);
    // What is only known later stays in its place.
    let texts: Vec<&str> = words
        .iter()
        .skip(1)
        .map(|word| word.known().unwrap_or(&word.source))
        .collect();
    let given = option::given(name, &texts);
    let found = given.iter().find(|option| option.is_in(list))?;
    let is_known = |text: &str| words.iter().any(|word| word.known() == Some(text));
    let text = found
        .value()
        .filter(|text| is_known(text) || is_known(found.word));
    if name == "script" && !given.iter().any(|option| option.is_in("-e --return")) {
        let reason = "`script` does not hand on the exit status of what it starts without `-e`";
        return Some(Kind::Hides(Masked::new("script", reason.to_owned())));
    }
    let is_foreign = table::FOREIGN_SHELLS.contains(&name);
    if is_foreign && let Some(text) = text.filter(|text| text.contains([';', '|', '{', '\n'])) {
        return Some(Kind::Hides(Masked::unreadable(text)));
    }
    Some(Kind::Script(Script {
        text: text.map(str::to_owned),
        errexit: false,
        pipefail: false,
    }))
}
