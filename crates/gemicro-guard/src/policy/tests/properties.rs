//! A denied command stays denied, whatever is put around it.

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert, prop_oneof, proptest};
use proptest::sample::select;

use super::cases::rules;
use super::shell;
use crate::policy::{PolicyDecision, PolicyRule};

/// One-line commands that are denied.
fn denied() -> impl Strategy<Value = String> {
    let commands: Vec<String> = rules()
        .into_iter()
        .filter(|(allowed, command)| !allowed && !command.contains('\n') && !command.contains("EOF"))
        .filter(|(_, command)| !is_early_word(command))
        .map(|(_, command)| command)
        .collect();
    select(commands)
}

/// Where a program writes after `cd`: in a loop nobody knows the folder, and then it is for the sandbox.
fn is_early_word(command: &str) -> bool {
    let PolicyDecision::Deny(denial) = shell(command) else {
        return false;
    };
    command.contains("cd ") && matches!(denial.rule, PolicyRule::OutsideWorktree | PolicyRule::GitMetadata)
}

/// Single commands that are denied for what git would do.
fn denied_git() -> impl Strategy<Value = String> {
    select(vec![
        "git push",
        "git checkout main",
        "git reset --hard",
        "git branch -D main",
        "git commit --amend",
        "git -C .. add .",
        "git diff --ext-diff",
        "git stash",
        "git config a.b c",
        "git update-ref -d refs/heads/main",
    ])
    .prop_map(str::to_owned)
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn double_quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .flat_map(|c| {
            if "\\\"$`".contains(c) {
                vec!['\\', c]
            } else {
                vec![c]
            }
        })
        .collect();
    format!("\"{escaped}\"")
}

fn ansi_quoted(text: &str) -> String {
    let hex: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("$'{hex}'")
}

fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| ['\\', c]).collect()
}

/// Words that run the words after them.
fn wrapper() -> impl Strategy<Value = &'static str> {
    select(vec![
        "env",
        "env -i",
        "env A=1",
        "command",
        "exec",
        "sudo",
        "sudo -u me",
        "doas",
        "time",
        "timeout 5",
        "timeout -k 1 5",
        "nice",
        "nice -n 3",
        "ionice -c 3",
        "nohup",
        "setsid",
        "stdbuf -oL",
        "xargs",
        "xargs -n 1",
        "busybox",
        "flock l",
        "strace",
        "some-wrapper",
        "watch",
        "A=1",
        "! ",
        "time -p",
        "parallel",
        "find . -exec",
        "ls |",
        "ls &&",
        "ls ||",
        "ls ;",
        "ls &",
        "true\n",
        "{ ls; } &&",
        "unshare -r",
    ])
}

/// Syntax around a whole command.
fn around(kind: u8, command: &str) -> String {
    match kind % 16 {
        0 => format!("ls; {command}"),
        1 => format!("ls && {command}"),
        2 => format!("ls || {command}"),
        3 => format!("ls\n{command}\nls"),
        // With blanks: two without are arithmetic, which runs nothing.
        4 => format!("( {command} )"),
        5 => format!("{{ {command}\n}}"),
        6 => format!("if true; then {command}\nfi"),
        7 => format!("for i in 1; do {command}\ndone"),
        8 => format!("echo $({command}\n)"),
        9 => format!("f() {{ {command}\n}}; f"),
        10 => format!("bash -c {}", single_quoted(command)),
        11 => format!("sh -c {}", double_quoted(command)),
        12 => format!("eval {}", single_quoted(command)),
        13 => format!("case x in x) {command}\n;; esac"),
        14 => format!("while true; do {command}\ndone"),
        _ => format!("bash <<'END_OF_IT'\n{command}\nEND_OF_IT"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn no_syntax_around_a_denied_command_frees_it(command in denied(), kinds in proptest::collection::vec(any::<u8>(), 1..4)) {
        let line = kinds.iter().fold(command, |line, kind| around(*kind, &line));
        prop_assert!(!shell(&line).is_allowed(), "{line}");
    }

    #[test]
    fn no_wrapper_frees_it(wrappers in proptest::collection::vec(wrapper(), 1..4), command in denied_git()) {
        let line = format!("{} {command}", wrappers.join(" "));
        prop_assert!(!shell(&line).is_allowed(), "{line}");
    }

    #[test]
    fn no_quoting_frees_it(command in denied_git(), ways in proptest::collection::vec(0u8..5, 6)) {
        let words: Vec<String> = command
            .split(' ')
            .zip(&ways)
            .map(|(word, way)| match way {
                0 => word.to_owned(),
                1 => single_quoted(word),
                2 => double_quoted(word),
                3 => ansi_quoted(word),
                _ => escaped(word),
            })
            .collect();
        let line = words.join("  ");
        prop_assert!(!shell(&line).is_allowed(), "{line}");
    }

    #[test]
    fn no_split_inside_words_frees_it(command in denied_git(), at in any::<proptest::sample::Index>(), piece in prop_oneof![Just("''"), Just("\"\""), Just("\\\n"), Just("$''")]) {
        let mut line = command;
        line.insert_str(at.index(line.len()), piece);
        // A space next to the piece makes a new, empty word: a different command, and still no git that is allowed.
        prop_assert!(!shell(&line).is_allowed() || line.contains(" '' ") , "{line:?}");
    }

    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,80}") {
        let _ = shell(&text);
    }

    #[test]
    fn any_character_in_any_syntax_gets_an_answer(c in any::<char>(), start in select(vec!["{", "$", "${", "<<", "$((", "[[ ", "a=", "'", "\"", "`", "{1..", "x ", "@(", "~", "#"])) {
        let _ = shell(&format!("{start}{c}"));
        let line = format!("echo {start}{c}; git push");
        let _ = shell(&line);
        let line = format!("git push {start}{c}");
        prop_assert!(!shell(&line).is_allowed(), "{line:?}");
    }

    #[test]
    fn any_shell_like_text_gets_an_answer(text in "[a-z $(){}<>|&;'\"`\\\\\n=-]{0,60}") {
        let _ = shell(&text);
        let _ = shell(&format!("{text} git push"));
    }
}
