//! Chooses the parser for a file: [`Format`], by the file name.

use super::language::CommentSyntax;

/// How a text is structured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// CommonMark with tables, raw HTML and front matter.
    Markdown,
    /// An HTML page.
    Html,
    /// Paragraphs between blank lines.
    Text,
    /// One record per line: tables, logs, JSON lines.
    Lines,
    /// Source code with comments.
    Code(CommentSyntax),
    /// `key = value` lines with comments.
    Config(CommentSyntax),
}

impl Format {
    /// The format for a document id; `text` decides if the name does not.
    #[must_use]
    pub fn of(doc: &str, text: &str) -> Self {
        let name = doc.rsplit('/').next().unwrap_or(doc).to_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "md" | "markdown" | "mdown" | "mkd" | "mdx" | "qmd" | "rmd" => return Self::Markdown,
            "html" | "htm" | "xhtml" => return Self::Html,
            "txt" | "text" | "rst" | "adoc" | "asciidoc" | "org" | "tex" => return Self::Text,
            "csv" | "tsv" | "jsonl" | "ndjson" | "log" => return Self::Lines,
            "toml" | "yaml" | "yml" => return Self::Config(CommentSyntax::Hash),
            "ini" | "cfg" | "conf" | "properties" | "env" => return Self::Config(CommentSyntax::Ini),
            "json" | "json5" | "jsonc" => return Self::Config(CommentSyntax::Clike),
            _ => {}
        }
        if let Some(language) = CommentSyntax::of(&name, extension) {
            return Self::Code(language);
        }
        let start = text
            .trim_start()
            .get(..15)
            .unwrap_or_default()
            .to_ascii_lowercase();
        if start.starts_with("<!doctype html") || start.starts_with("<html") {
            return Self::Html;
        }
        if text.starts_with("#!") {
            Self::Code(CommentSyntax::Hash)
        } else {
            Self::Text
        }
    }

    /// The media type for the ledger.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Html => "text/html",
            Self::Text | Self::Lines => "text/plain",
            Self::Code(_) => "text/x-source",
            Self::Config(_) => "text/x-config",
        }
    }
}
