//! The table of programs that write the files their operands or options name, and the code that sorts their arguments.

use crate::policy::shell::word::ShellWord;

pub(super) fn find(base: &str) -> Option<&'static WriterRule> {
    WRITERS.iter().find(|writer| writer.names.contains(&base))
}

/// Which operands a program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    All,
    /// The last one, unless an option names the target.
    Last,
    /// The last of at least two.
    Second,
    /// All after the first.
    Rest,
    First,
    None,
}

/// The arguments of a program that are paths it writes.
pub(super) struct WriterRule {
    pub(super) names: &'static [&'static str],
    pub(super) operands: Operands,
    /// Letters of options whose value is written.
    pub(super) letters: &'static str,
    /// Long options whose value is written.
    pub(super) long: &'static [&'static str],
    /// Letters of other options with a value, which is not an operand.
    pub(super) valued: &'static str,
}

pub(super) const PLAIN: WriterRule = WriterRule {
    names: &[],
    operands: Operands::All,
    letters: "",
    long: &[],
    valued: "",
};

pub(super) const WRITERS: &[WriterRule] = &[
    WriterRule {
        names: &[
            "rm", "rmdir", "unlink", "chmod", "chown", "chgrp", "tee", "ed", "ex",
        ],
        ..PLAIN
    },
    WriterRule {
        names: &["mkdir"],
        valued: "m",
        ..PLAIN
    },
    WriterRule {
        names: &["touch"],
        valued: "dtr",
        ..PLAIN
    },
    WriterRule {
        names: &["truncate", "shred"],
        valued: "srn",
        ..PLAIN
    },
    WriterRule {
        names: &["mv"],
        letters: "t",
        long: &["target-directory"],
        valued: "S",
        ..PLAIN
    },
    WriterRule {
        names: &["cp", "install"],
        operands: Operands::Last,
        letters: "t",
        long: &["target-directory"],
        valued: "Smgo",
    },
    WriterRule {
        names: &["rsync"],
        operands: Operands::Second,
        valued: "eMBTf",
        ..PLAIN
    },
    WriterRule {
        names: &["split", "csplit"],
        operands: Operands::Second,
        valued: "abClnt",
        ..PLAIN
    },
    WriterRule {
        names: &["patch"],
        operands: Operands::First,
        letters: "od",
        long: &["output", "directory"],
        valued: "piFBYzrV",
    },
    WriterRule {
        names: &["zip"],
        operands: Operands::First,
        valued: "ixb",
        ..PLAIN
    },
    WriterRule {
        names: &["sort"],
        operands: Operands::None,
        letters: "o",
        long: &["output"],
        valued: "kStT",
    },
    WriterRule {
        names: &["curl"],
        operands: Operands::None,
        letters: "oDc",
        long: &["output", "output-dir", "dump-header", "cookie-jar"],
        valued: "dHXuAebFTKmrxwyYz",
    },
    WriterRule {
        names: &["wget"],
        operands: Operands::None,
        letters: "OPoa",
        long: &[
            "output-document",
            "directory-prefix",
            "output-file",
            "append-output",
        ],
        valued: "UeitTwQl",
    },
    WriterRule {
        names: &["unzip", "7z"],
        operands: Operands::None,
        letters: "d",
        valued: "P",
        ..PLAIN
    },
];

/// The words of a program, sorted.
pub(super) struct SortedArguments {
    /// Option values that are paths to write.
    pub(super) values: Vec<ShellWord>,
    pub(super) operands: Vec<ShellWord>,
    /// Letters of the short options.
    pub(super) letters: String,
}

pub(super) fn sort(writer: &WriterRule, words: &[ShellWord]) -> SortedArguments {
    let mut sorted = SortedArguments {
        values: Vec::new(),
        operands: Vec::new(),
        letters: String::new(),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.prefix.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            sorted.operands.push(word.clone());
            continue;
        };
        if option == "-" {
            sorted.operands.extend(words.cloned());
            break;
        }
        if let Some(long) = option.strip_prefix('-') {
            match long.split_once('=') {
                Some((name, value)) if writer.long.contains(&name) => {
                    sorted.values.push(rest_of(word, value))
                }
                None if writer.long.contains(&long) => sorted.values.extend(words.next().cloned()),
                _ => {}
            }
            continue;
        }
        for (at, letter) in option.char_indices() {
            let value = &option[at + letter.len_utf8()..];
            let takes_next = value.is_empty() && word.exact_text().is_some();
            sorted.letters.push(letter);
            if writer.letters.contains(letter) {
                if takes_next {
                    sorted.values.extend(words.next().cloned());
                } else {
                    sorted.values.push(rest_of(word, value));
                }
                break;
            }
            if writer.valued.contains(letter) {
                if takes_next {
                    words.next();
                }
                break;
            }
        }
    }
    sorted
}

/// The value attached to an option in the same word.
pub(super) fn rest_of(word: &ShellWord, value: &str) -> ShellWord {
    ShellWord {
        text: word.exact_text().map(|_| value.to_owned()),
        prefix: value.to_owned(),
        tilde: value.starts_with('~'),
        ..word.clone()
    }
}

pub(super) fn written_words(writer: &WriterRule, words: &[ShellWord]) -> Vec<ShellWord> {
    let SortedArguments {
        mut values,
        operands,
        letters,
    } = sort(writer, words);
    let makes_folders = writer.names.contains(&"install") && letters.contains('d');
    let has_target = !values.is_empty();
    match writer.operands {
        _ if makes_folders => values.extend(operands),
        Operands::All => values.extend(operands),
        Operands::Last if !has_target => values.extend(operands.into_iter().next_back()),
        Operands::Second if operands.len() > 1 => values.extend(operands.into_iter().next_back()),
        Operands::Rest => values.extend(operands.into_iter().skip(1)),
        Operands::First => values.extend(operands.into_iter().next()),
        Operands::Last | Operands::Second | Operands::None => {}
    }
    // A host name before a colon: the path is not on this machine.
    let is_remote = |word: &ShellWord| {
        word.prefix
            .split('/')
            .next()
            .is_some_and(|first| first.contains(':'))
    };
    values.retain(|word| !is_remote(word));
    values
}
