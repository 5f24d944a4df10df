//! What the CLIs print for `--version`.

use gemicro_event::ErrorKind;
use gemicro_runner::{AgentCli, ClaudeCode, Codex, GeminiAcp, GeminiHeadless, Version};

#[test]
fn versions_are_read() {
    let cases: &[(&dyn AgentCli, &str, Version)] = &[
        (&GeminiHeadless, "0.61.0\n", Version::new(0, 61, 0)),
        (&GeminiAcp, "0.62.1-nightly.3", Version::new(0, 62, 1)),
        (&ClaudeCode, "2.1.197 (Claude Code)\n", Version::new(2, 1, 197)),
        (
            &ClaudeCode,
            "warning: x\n3.0.0 (Claude Code)",
            Version::new(3, 0, 0),
        ),
        (&Codex, "codex-cli 0.166.0", Version::new(0, 166, 0)),
    ];
    for (cli, printed, expected) in cases {
        assert_eq!(cli.check_version(printed).unwrap(), *expected, "{printed}");
    }
}

#[test]
fn old_and_missing_versions_are_refused() {
    let cases: &[(&dyn AgentCli, &str)] = &[
        (&GeminiHeadless, "0.60.9"),
        (&ClaudeCode, "1.9.999 (Claude Code)"),
        (&Codex, "codex-cli 0.9"),
        (&Codex, ""),
        (&Codex, "99999999999.1.1"),
    ];
    for (cli, printed) in cases {
        let failure = cli.check_version(printed).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::CommandNotFound, "{printed}");
        assert!(failure.message.contains(cli.install_command()), "{failure}");
    }
}
