//! A plain in-memory corpus for tests, searched by BM25.
//!
//! It stands in for `gemicro-source`, which core must not know. It is small and slow on purpose.

use std::collections::{HashMap, HashSet};

use crate::corpus::{BlockKind, Corpus, CorpusError, Hit, Passage, PassageQuery};
use crate::offline::text::{is_cjk, words};

/// Longest passage in bytes.
const LONGEST: usize = 1_200;

pub(crate) struct MemoryCorpus {
    pub(crate) passages: Vec<Passage>,
    /// Whole stored text by document.
    pub(crate) texts: HashMap<String, String>,
    terms: Vec<HashMap<String, usize>>,
    /// Words of text, heading and title of every passage, for phrases.
    sequences: Vec<[Vec<String>; 3]>,
    frequency: HashMap<String, u64>,
    average: f32,
}

impl MemoryCorpus {
    /// Makes a corpus of (name, raw text) pairs; the name's ending tells the format.
    pub(crate) fn of(documents: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut corpus = Self {
            passages: Vec::new(),
            texts: HashMap::new(),
            terms: Vec::new(),
            sequences: Vec::new(),
            frequency: HashMap::new(),
            average: 1.0,
        };
        for (doc, raw) in documents {
            corpus.add(&doc, &raw);
        }
        for passage in &corpus.passages {
            let mut counts: HashMap<String, usize> = HashMap::new();
            let whole = format!("{} {}", passage.text, passage.heading.clone().unwrap_or_default());
            for term in terms_of(&whole) {
                *counts.entry(term).or_default() += 1;
            }
            for term in counts.keys() {
                *corpus.frequency.entry(term.clone()).or_default() += 1;
            }
            corpus.terms.push(counts);
            let heading = passage.heading.as_deref().unwrap_or("");
            corpus
                .sequences
                .push([&passage.text, heading, &passage.title].map(sequence));
        }
        let total: usize = corpus
            .terms
            .iter()
            .map(|counts| counts.values().sum::<usize>())
            .sum();
        corpus.average = (total as f32 / corpus.passages.len().max(1) as f32).max(1.0);
        corpus
    }

    fn add(&mut self, doc: &str, raw: &str) {
        let raw: String = raw.chars().filter(|c| !is_invisible(*c)).collect();
        let is_html = doc.ends_with(".html") || doc.ends_with(".htm");
        let text = if is_html { visible(&raw) } else { raw };
        let blocks = blocks(doc, &text);
        let title = blocks
            .iter()
            .find(|(kind, _)| *kind == BlockKind::Heading)
            .map(|(_, range)| &text[range.clone()])
            .or_else(|| text.lines().find(|line| !line.trim().is_empty()))
            .unwrap_or(doc)
            .trim()
            .trim_start_matches(['#', ' '])
            .chars()
            .take(200)
            .collect::<String>();
        let date = find_date(&text);
        let mut heading = None;
        let mut ordinal = 0;
        for (kind, range) in blocks {
            if kind == BlockKind::Heading {
                heading = Some(text[range.clone()].trim_start_matches(['#', ' ']).to_owned());
            }
            for piece in cut(&text, range) {
                self.passages.push(Passage {
                    doc: doc.to_owned(),
                    ordinal,
                    text: text[piece.clone()].to_owned(),
                    range: piece,
                    kind,
                    heading: heading.clone(),
                    title: title.clone(),
                    date: date.clone(),
                });
                ordinal += 1;
            }
        }
        self.texts.insert(doc.to_owned(), text);
    }
}

impl Corpus for MemoryCorpus {
    fn search(&self, query: &PassageQuery) -> Result<Vec<Hit>, CorpusError> {
        let phrases: Vec<Vec<String>> = query.phrases.iter().map(|phrase| sequence(phrase)).collect();
        let wanted: HashSet<String> = query.terms.iter().flat_map(|term| terms_of(term)).collect();
        let n_passages = self.passages.len() as f32;
        let mut hits = Vec::new();
        for (idx, passage) in self.passages.iter().enumerate() {
            let holds = |phrase: &Vec<String>| {
                self.sequences[idx]
                    .iter()
                    .any(|text| holds_sequence(text, phrase))
            };
            if !phrases.iter().all(holds) {
                continue;
            }
            let counts = &self.terms[idx];
            let length: usize = counts.values().sum();
            let mut score = 0.0;
            for term in &wanted {
                let Some(count) = counts.get(term) else { continue };
                let frequency = self.frequency[term] as f32;
                let idf = (1.0 + (n_passages - frequency + 0.5) / (frequency + 0.5)).ln();
                let count = *count as f32;
                score += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length as f32 / self.average));
            }
            if score > 0.0 || !phrases.is_empty() {
                hits.push(Hit {
                    passage: passage.clone(),
                    score,
                });
            }
        }
        hits.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.passage.doc.cmp(&b.passage.doc))
                .then(a.passage.ordinal.cmp(&b.passage.ordinal))
        });
        hits.truncate(query.limit);
        Ok(hits)
    }

    fn passages(&self, doc: &str) -> Result<Vec<Passage>, CorpusError> {
        Ok(self
            .passages
            .iter()
            .filter(|passage| passage.doc == doc)
            .cloned()
            .collect())
    }
}

fn sequence(text: &str) -> Vec<String> {
    words(text)
        .into_iter()
        .flat_map(|word| {
            if word.cjk {
                word.lower.chars().map(String::from).collect()
            } else {
                vec![word.lower]
            }
        })
        .collect()
}

fn holds_sequence(text: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && text.windows(phrase.len()).any(|window| window == phrase)
}

fn terms_of(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for word in words(text) {
        if word.cjk {
            let chars: Vec<char> = word.lower.chars().collect();
            terms.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            terms.push(word.lower);
        }
    }
    terms
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{ad}' | '\u{e0000}'..='\u{e007f}')
}

/// What a reader of a page sees, with a line end around every block; hidden elements and comments are out.
fn visible(raw: &str) -> String {
    const BLOCKS: [&str; 16] = [
        "p", "div", "h1", "h2", "h3", "li", "tr", "td", "th", "br", "footer", "title", "body", "section",
        "ul", "table",
    ];
    let mut out = String::new();
    let mut rest = raw;
    let mut hidden: Option<String> = None;
    while let Some(at) = rest.find('<') {
        if hidden.is_none() {
            out.push_str(&entities(&rest[..at]));
        }
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some(end) = rest
            .find('>')
            .filter(|_| rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!'))
        else {
            if hidden.is_none() {
                out.push('<');
            }
            rest = &rest[1..];
            continue;
        };
        let tag = &rest[1..end];
        let name = tag
            .trim_start_matches('/')
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or("")
            .to_lowercase();
        if let Some(open) = &hidden {
            if tag.starts_with('/') && name == *open {
                hidden = None;
            }
        } else {
            let compact: String = tag.to_lowercase().split_whitespace().collect();
            if ["script", "style", "template"].contains(&name.as_str())
                || compact.contains("display:none")
                || compact.contains("visibility:hidden")
                || tag.contains(" hidden")
            {
                hidden = Some(name.clone());
            }
            if BLOCKS.contains(&name.as_str()) {
                out.push('\n');
                if !tag.starts_with('/') && (name.starts_with('h') || name == "p") {
                    out.push('\n');
                }
            }
        }
        rest = &rest[end + 1..];
    }
    if hidden.is_none() {
        out.push_str(&entities(rest));
    }
    out
}

fn entities(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&")
}

/// Blocks of a text: headings, list items, code, comments and paragraphs.
fn blocks(doc: &str, text: &str) -> Vec<(BlockKind, std::ops::Range<usize>)> {
    let is_code = [
        ".rs", ".py", ".toml", ".js", ".go", ".yaml", ".yml", ".sh", ".ini", ".conf", ".c", ".h",
    ]
    .iter()
    .any(|ending| doc.ends_with(ending));
    let is_markdown = doc.ends_with(".md");
    let mut found: Vec<(BlockKind, std::ops::Range<usize>)> = Vec::new();
    let mut offset = 0;
    let mut current: Option<(BlockKind, std::ops::Range<usize>)> = None;
    let mut in_fence = false;
    let mut in_comment = false;
    let mut in_quotes = false;
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.trim_end().len();
        offset += line.len();
        let trimmed = line.trim();
        let hides = trimmed.to_lowercase().replace(' ', "");
        if is_markdown && (in_comment || trimmed.starts_with("<!--") || hides.contains("display:none")) {
            in_comment = trimmed.starts_with("<!--") && !trimmed.contains("-->")
                || in_comment && !trimmed.contains("-->");
            found.extend(current.take());
            continue;
        }
        let is_fence = trimmed.starts_with("```");
        let kind = if is_fence || in_fence {
            BlockKind::Code
        } else if is_code {
            let had_quotes = in_quotes;
            if trimmed.matches("\"\"\"").count() % 2 == 1 {
                in_quotes = !in_quotes;
            }
            if trimmed.starts_with("//")
                || trimmed.starts_with('#')
                || had_quotes
                || trimmed.starts_with("\"\"\"")
            {
                BlockKind::Comment
            } else {
                BlockKind::Code
            }
        } else if is_markdown && trimmed.starts_with('#') {
            BlockKind::Heading
        } else if is_markdown && (trimmed.starts_with("- ") || trimmed.starts_with("* ")) {
            BlockKind::ListItem
        } else if is_markdown && trimmed.starts_with('|') {
            BlockKind::TableRow
        } else {
            BlockKind::Paragraph
        };
        if kind == BlockKind::TableRow && trimmed.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
            continue;
        }
        if is_fence {
            in_fence = !in_fence;
        }
        if trimmed.is_empty() {
            found.extend(current.take());
            continue;
        }
        match &mut current {
            Some((open, open_range))
                if *open == kind
                    && !matches!(
                        kind,
                        BlockKind::Heading | BlockKind::ListItem | BlockKind::TableRow
                    ) =>
            {
                open_range.end = range.end
            }
            Some((BlockKind::ListItem, open_range)) if kind == BlockKind::Paragraph => {
                open_range.end = range.end
            }
            _ => {
                found.extend(current.take());
                current = Some((kind, range));
            }
        }
    }
    found.extend(current);
    found
}

/// Cuts a long block at sentence ends.
fn cut(text: &str, range: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    let mut last_end = range.start;
    for (at, found) in text[range.clone()].match_indices(['.', '。']) {
        let end = range.start + at + found.len();
        let ends = text[end..]
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || is_cjk(c));
        if !ends {
            continue;
        }
        if end - start > LONGEST && last_end > start {
            pieces.push(start..last_end);
            start = last_end;
        }
        last_end = end;
    }
    pieces.push(start..range.end);
    pieces
}

fn find_date(text: &str) -> Option<String> {
    let head: String = text.chars().take(600).collect();
    for word in words(&head) {
        let parts: Vec<&str> = word.lower.split('-').collect();
        if parts.len() == 3
            && parts[0].len() == 4
            && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_digit()))
        {
            return Some(word.lower);
        }
    }
    None
}
