//! Prompts: what is kept, what is neutralised, what is refused.

use gemicro_event::ErrorKind;
use proptest::prelude::*;

use super::{AgentPrompt, Habits, MAX_PROMPT_BYTES, Mentions};

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

fn check(prompt: AgentPrompt, habits: Habits, expected: &str) {
    assert_eq!(prompt.render(habits).unwrap(), expected);
}

#[test]
fn the_users_own_message_stays() {
    check(AgentPrompt::user("/help @a.txt"), GEMINI, "/help @a.txt");
    check(AgentPrompt::user("/help @a.txt"), ACP, "/help @a.txt");
}

#[test]
fn other_texts_name_no_files() {
    check(
        AgentPrompt::text("see @/etc/passwd"),
        GEMINI,
        "see \\@/etc/passwd",
    );
    check(AgentPrompt::text("@a@b"), GEMINI, "\\@a\\@b");
    check(
        AgentPrompt::text("jane@example.com"),
        GEMINI,
        "jane\\@example.com",
    );
    check(
        AgentPrompt::text("jane@example.com (@b)"),
        CLAUDE,
        "jane@example.com (\\@b)",
    );
    check(
        AgentPrompt::text("\\@kept and @ alone"),
        GEMINI,
        "\\@kept and @ alone",
    );
    check(AgentPrompt::text("see @a"), ACP, "see @a");
}

#[test]
fn parts_do_not_make_a_path_together() {
    check(AgentPrompt::text("@").and_user("secret"), GEMINI, "\\@secret");
    check(
        AgentPrompt::user("mail me @").and_text("/etc/passwd"),
        GEMINI,
        "mail me @ /etc/passwd",
    );
    check(AgentPrompt::text("a\\").and_text("@b"), GEMINI, "a\\@b");
}

#[test]
fn other_texts_give_no_commands() {
    check(AgentPrompt::text(" \n/quit"), GEMINI, "Message:\n\n \n/quit");
    check(AgentPrompt::text("$x"), ACP, "Message:\n\n$x");
    check(
        AgentPrompt::text(" ").and_text("/quit"),
        GEMINI,
        "Message:\n\n /quit",
    );
    check(AgentPrompt::text(" ").and_user("/stats"), GEMINI, " /stats");
    check(
        AgentPrompt::user("look:\n").and_text("/quit"),
        GEMINI,
        "look:\n/quit",
    );
}

#[test]
fn empty_and_huge_prompts_are_refused() {
    let kind = |prompt: AgentPrompt| prompt.render(GEMINI).unwrap_err().kind;
    assert_eq!(kind(AgentPrompt::user(" \n")), ErrorKind::InvalidInput);
    assert_eq!(kind(AgentPrompt::default()), ErrorKind::InvalidInput);
    assert_eq!(
        kind(AgentPrompt::user("x".repeat(MAX_PROMPT_BYTES + 1))),
        ErrorKind::InvalidInput
    );
    // The backslashes count.
    assert_eq!(
        kind(AgentPrompt::text("@x".repeat(MAX_PROMPT_BYTES / 2))),
        ErrorKind::InvalidInput
    );
    assert!(
        AgentPrompt::user("x".repeat(MAX_PROMPT_BYTES))
            .render(GEMINI)
            .is_ok()
    );
}

proptest! {
    #[test]
    fn no_text_names_a_file_or_begins_a_command(text in "[ab/@ \\\\\n$.]{1,40}") {
        let Ok(rendered) = AgentPrompt::text(text.clone()).render(GEMINI) else {
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
