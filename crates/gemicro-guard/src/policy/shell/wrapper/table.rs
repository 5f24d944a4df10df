//! The wrappers whose command follows as separate words, and their options. Any other option is denied.

use super::super::options::ProgramOptions;

/// How the command line of a wrapper is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    pub(super) options: ProgramOptions,
    /// Words between the options and the command.
    pub(super) operands: usize,
    /// Whether `NAME=value` may come before the command.
    pub(super) sets_variables: bool,
    /// Options that make the wrapper start nothing.
    pub(super) only_looks: &'static [&'static str],
    /// Options that start a login or interactive shell.
    pub(super) opens_shell: &'static [&'static str],
    /// Options that change the working directory.
    pub(super) folder: &'static [&'static str],
    /// Whether the command runs in an unknown folder.
    pub(super) leaves: bool,
    /// Whether the wrapper adds words when the line runs.
    pub(super) adds_words: bool,
    /// Whether `-c text` may follow the operands.
    pub(super) text_after_operands: bool,
    /// Whether the command runs in the current shell, so that a `cd` takes effect.
    pub(super) same_shell: bool,
    pub(super) alone: AloneRule,
}

/// The effect of the wrapper without a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AloneRule {
    Fine,
    /// It starts a shell.
    Shell,
}

const NO_OPTIONS: ProgramOptions = ProgramOptions {
    flags: "",
    valued: "",
    attached: "",
    long_flags: &[],
    long_valued: &[],
};

const PLAIN: Wrapper = Wrapper {
    names: &[],
    options: NO_OPTIONS,
    operands: 0,
    sets_variables: false,
    only_looks: &[],
    opens_shell: &[],
    folder: &[],
    leaves: false,
    adds_words: false,
    text_after_operands: false,
    same_shell: false,
    alone: AloneRule::Fine,
};

/// The wrapper of this name.
pub(super) fn find(base: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&base))
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["env"],
        options: ProgramOptions {
            flags: "i0v",
            valued: "uCS",
            attached: "",
            long_flags: &["ignore-environment", "null", "debug", "version", "help"],
            long_valued: &["unset", "chdir", "split-string"],
        },
        sets_variables: true,
        folder: &["C", "chdir"],
        ..PLAIN
    },
    Wrapper {
        names: &["command"],
        options: ProgramOptions {
            flags: "pvV",
            ..NO_OPTIONS
        },
        only_looks: &["v", "V"],
        same_shell: true,
        ..PLAIN
    },
    Wrapper {
        names: &["builtin", "nocorrect", "noglob"],
        same_shell: true,
        ..PLAIN
    },
    Wrapper {
        names: &["exec"],
        options: ProgramOptions {
            flags: "cl",
            valued: "a",
            ..NO_OPTIONS
        },
        same_shell: true,
        ..PLAIN
    },
    Wrapper {
        names: &["sudo"],
        options: ProgramOptions {
            flags: "ABbEHikKlNnPSsvV",
            valued: "CDghpRrTtUu",
            long_flags: &[
                "login",
                "shell",
                "preserve-env",
                "non-interactive",
                "stdin",
                "set-home",
                "background",
            ],
            long_valued: &["user", "group", "chdir", "prompt", "host", "preserve-env"],
            ..NO_OPTIONS
        },
        sets_variables: true,
        opens_shell: &["i", "s", "login", "shell"],
        folder: &["D", "chdir"],
        ..PLAIN
    },
    Wrapper {
        names: &["doas"],
        options: ProgramOptions {
            flags: "nLs",
            valued: "Cu",
            ..NO_OPTIONS
        },
        opens_shell: &["s"],
        ..PLAIN
    },
    Wrapper {
        names: &["time", "gtime"],
        options: ProgramOptions {
            flags: "apqvV",
            valued: "fo",
            long_flags: &["append", "portability", "verbose", "quiet"],
            long_valued: &["format", "output"],
            ..NO_OPTIONS
        },
        same_shell: true,
        ..PLAIN
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        options: ProgramOptions {
            flags: "vfp",
            valued: "ks",
            long_flags: &["foreground", "preserve-status", "verbose"],
            long_valued: &["kill-after", "signal"],
            ..NO_OPTIONS
        },
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["nice"],
        options: ProgramOptions {
            flags: "0123456789",
            valued: "n",
            long_valued: &["adjustment"],
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        names: &["ionice"],
        options: ProgramOptions {
            flags: "t",
            valued: "cnpPu",
            long_flags: &["ignore"],
            long_valued: &["class", "classdata", "pid"],
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        names: &["chrt"],
        options: ProgramOptions {
            flags: "abfiorRv",
            valued: "TPD",
            ..NO_OPTIONS
        },
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["taskset"],
        options: ProgramOptions {
            flags: "ac",
            ..NO_OPTIONS
        },
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["nohup", "busybox", "toybox", "caffeinate"],
        ..PLAIN
    },
    Wrapper {
        names: &["setsid"],
        options: ProgramOptions {
            flags: "cfw",
            long_flags: &["ctty", "fork", "wait"],
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        names: &["stdbuf"],
        options: ProgramOptions {
            valued: "ioe",
            long_valued: &["input", "output", "error"],
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        names: &["xargs", "gxargs"],
        options: ProgramOptions {
            flags: "0rtxpo",
            valued: "adEILnPsJR",
            attached: "iel",
            long_flags: &[
                "null",
                "no-run-if-empty",
                "verbose",
                "interactive",
                "exit",
                "open-tty",
                "show-limits",
                "replace",
            ],
            long_valued: &[
                "arg-file",
                "delimiter",
                "max-args",
                "max-lines",
                "max-procs",
                "max-chars",
                "replace",
                "eof",
            ],
        },
        adds_words: true,
        ..PLAIN
    },
    Wrapper {
        names: &["flock"],
        options: ProgramOptions {
            flags: "nsuxeFo",
            valued: "wE",
            long_flags: &[
                "nonblock",
                "shared",
                "exclusive",
                "unlock",
                "close",
                "no-fork",
                "verbose",
            ],
            long_valued: &["timeout", "wait", "conflict-exit-code"],
            ..NO_OPTIONS
        },
        operands: 1,
        text_after_operands: true,
        ..PLAIN
    },
    Wrapper {
        names: &["chroot"],
        options: ProgramOptions {
            long_flags: &["skip-chdir"],
            long_valued: &["userspec", "groups"],
            ..NO_OPTIONS
        },
        operands: 1,
        leaves: true,
        alone: AloneRule::Shell,
        ..PLAIN
    },
    Wrapper {
        names: &["unshare"],
        options: ProgramOptions {
            flags: "imnpuUCTrfc",
            long_flags: &[
                "fork",
                "mount",
                "uts",
                "ipc",
                "net",
                "pid",
                "user",
                "cgroup",
                "time",
                "map-root-user",
                "map-current-user",
                "mount-proc",
                "map-auto",
            ],
            ..NO_OPTIONS
        },
        alone: AloneRule::Shell,
        ..PLAIN
    },
];
