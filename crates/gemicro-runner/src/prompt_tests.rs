//! Prompts: what is kept, what is neutralised, what is refused.

use gemicro_event::ErrorKind;
use proptest::prelude::*;

use super::{Habits, MAX_PROMPT_BYTES, Mentions, Prompt};

const GEMINI: Habits = Habits {
    mentions: Mentions::Anywhere,
    commands: &['/'],
};
const CLAUDE: Habits = Habits {
    mentions: Mentions::WordStart,
    commands: &['/'],
};
const ACP: Habits = Habits {
    mentions: Mentions::None,
    commands: &['/', '$'],
};

fn check(prompt: Prompt, habits: Habits, expected: &str) {
    assert_eq!(prompt.render(habits).unwrap(), expected);
}

#[test]
fn the_users_own_message_stays() {
    check(Prompt::user("/help @a.txt"), GEMINI, "/help @a.txt");
    check(Prompt::user("/help @a.txt"), ACP, "/help @a.txt");
}

#[test]
fn other_texts_name_no_files() {
    check(Prompt::text("see @/etc/passwd"), GEMINI, "see \\@/etc/passwd");
    check(Prompt::text("@a@b"), GEMINI, "\\@a\\@b");
    check(Prompt::text("jane@example.com"), GEMINI, "jane\\@example.com");
    check(
        Prompt::text("jane@example.com (@b)"),
        CLAUDE,
        "jane@example.com (\\@b)",
    );
    check(Prompt::text("\\@kept and @ alone"), GEMINI, "\\@kept and @ alone");
    check(Prompt::text("see @a"), ACP, "see @a");
}

#[test]
fn parts_do_not_make_a_path_together() {
    check(Prompt::text("@").and_user("secret"), GEMINI, "\\@secret");
    check(
        Prompt::user("mail me @").and_text("/etc/passwd"),
        GEMINI,
        "mail me @ /etc/passwd",
    );
    check(Prompt::text("a\\").and_text("@b"), GEMINI, "a\\@b");
}

#[test]
fn other_texts_give_no_commands() {
    check(Prompt::text(" \n/quit"), GEMINI, "Message:\n\n \n/quit");
    check(Prompt::text("$x"), ACP, "Message:\n\n$x");
    check(Prompt::text(" ").and_text("/quit"), GEMINI, "Message:\n\n /quit");
    check(Prompt::text(" ").and_user("/stats"), GEMINI, " /stats");
    check(Prompt::user("look:\n").and_text("/quit"), GEMINI, "look:\n/quit");
}

#[test]
fn empty_and_huge_prompts_are_refused() {
    let kind = |prompt: Prompt| prompt.render(GEMINI).unwrap_err().kind;
    assert_eq!(kind(Prompt::user(" \n")), ErrorKind::InvalidInput);
    assert_eq!(kind(Prompt::default()), ErrorKind::InvalidInput);
    assert_eq!(
        kind(Prompt::user("x".repeat(MAX_PROMPT_BYTES + 1))),
        ErrorKind::InvalidInput
    );
    // The backslashes count.
    assert_eq!(
        kind(Prompt::text("@x".repeat(MAX_PROMPT_BYTES / 2))),
        ErrorKind::InvalidInput
    );
    assert!(Prompt::user("x".repeat(MAX_PROMPT_BYTES)).render(GEMINI).is_ok());
}

proptest! {
    #[test]
    fn no_text_names_a_file_or_begins_a_command(text in "[ab/@ \\\\\n$.]{1,40}") {
        let Ok(rendered) = Prompt::text(text.clone()).render(GEMINI) else {
            prop_assert!(text.trim().is_empty());
            return Ok(());
        };
        prop_assert!(!rendered.trim_start().starts_with('/'));
        let chars: Vec<char> = rendered.chars().collect();
        for (idx, c) in chars.iter().enumerate() {
            let is_escaped = idx > 0 && chars[idx - 1] == '\\';
            let is_alone = chars.get(idx + 1).is_none_or(|next| next.is_ascii_whitespace());
            prop_assert!(*c != '@' || is_escaped || is_alone);
        }
        // Nothing but the backslashes and the heading was added.
        let body = rendered.strip_prefix("Message:\n\n").unwrap_or(&rendered);
        prop_assert_eq!(body.replace("\\@", "@"), text.replace("\\@", "@"));
    }
}
