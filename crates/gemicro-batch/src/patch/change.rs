//! A patch as data: files and hunks.

/// Changes to files that belong together. No file occurs twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The files, in the order of the answer.
    pub files: Vec<FilePatch>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Path in the project, with `/` as separator.
    pub path: String,
    /// The kind of change.
    pub change: PatchChange,
}

/// The change of a file. Anything else, such as deleting or renaming, is refused when the patch is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchChange {
    /// The file does not exist yet.
    Create {
        /// Whole content of the new file.
        text: String,
    },
    /// The file gets this text, whether it exists or not.
    Write {
        /// Whole content of the file.
        text: String,
    },
    /// Some of its lines change.
    Modify {
        /// At least one; each changes something.
        hunks: Vec<Hunk>,
    },
}

/// Lines that belong together, some of which change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// First line in the old file, from 1, according to the patch; only a hint.
    pub hint: Option<usize>,
    /// Context, removed and added lines, in order.
    pub lines: Vec<HunkLine>,
    /// Whether the last new line ends the file without a line break.
    pub ends_without_newline: bool,
}

/// One line of a hunk, without its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkLine {
    /// A line that stays and shows the position.
    Context(String),
    /// A line to remove.
    Remove(String),
    /// A line to add.
    Add(String),
}

impl Hunk {
    /// The lines of the old file: context and removed lines.
    pub fn old_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Context(text) | HunkLine::Remove(text) => Some(text.as_str()),
            HunkLine::Add(_) => None,
        })
    }

    /// The lines of the new file: context and added lines.
    pub fn new_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Context(text) | HunkLine::Add(text) => Some(text.as_str()),
            HunkLine::Remove(_) => None,
        })
    }

    /// Whether any line is added or removed.
    #[must_use]
    pub fn changes_something(&self) -> bool {
        self.lines.iter().any(|line| match line {
            HunkLine::Context(_) => false,
            HunkLine::Remove(_) | HunkLine::Add(_) => true,
        })
    }
}
