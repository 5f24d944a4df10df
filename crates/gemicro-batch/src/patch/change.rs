//! A patch as data: which files, and which lines of them.

/// Changes of files that belong together. No file is in it twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The files, in the order of the answer.
    pub files: Vec<FilePatch>,
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Where it is, relative to the project, with `/` between the parts.
    pub path: String,
    /// What happens to it.
    pub change: PatchChange,
}

/// What happens to a file. Deleting, renaming and everything else is refused when the patch is read.
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
        /// Where and how, at least one; each changes something.
        hunks: Vec<Hunk>,
    },
}

/// Lines that belong together, some of which change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first line of it in the old file, from 1, as the patch has it: a hint, no more.
    pub hint: Option<usize>,
    /// Context, removed and added lines, in order.
    pub lines: Vec<HunkLine>,
    /// Whether the new file ends with its last line and without a line break.
    pub ends_without_newline: bool,
}

/// One line of a hunk, without its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkLine {
    /// A line that stays, and shows the place.
    Context(String),
    /// A line that the file loses.
    Remove(String),
    /// A line that the file gains.
    Add(String),
}

impl Hunk {
    /// The lines that the old file has.
    pub fn old_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Context(text) | HunkLine::Remove(text) => Some(text.as_str()),
            HunkLine::Add(_) => None,
        })
    }

    /// The lines that the new file has.
    pub fn new_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Context(text) | HunkLine::Add(text) => Some(text.as_str()),
            HunkLine::Remove(_) => None,
        })
    }

    /// Whether any line comes or goes.
    #[must_use]
    pub fn changes_something(&self) -> bool {
        self.lines.iter().any(|line| match line {
            HunkLine::Context(_) => false,
            HunkLine::Remove(_) | HunkLine::Add(_) => true,
        })
    }
}
