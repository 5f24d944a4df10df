//! Cells of a spreadsheet as a reader sees them: [`NumberStyles`].
//!
//! Nothing is calculated: a cell shows the value that the author's program stored, or its formula if no value is
//! stored.

use gemicro_event::Timestamp;

use super::archive::BoundedArchive;
use super::error::OfficeError;
use super::xml::XmlItem;

const DAY_MS: f64 = 86_400_000.0;

/// How a number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberStyle {
    Plain,
    Percent,
    Date,
}

/// The number styles of a workbook, by the index that cells refer to.
#[derive(Default)]
pub(super) struct NumberStyles {
    styles: Vec<NumberStyle>,
    /// Whether days are counted from 1904, as old Macintosh programs did.
    pub(super) is_1904: bool,
}

impl NumberStyles {
    pub(super) fn read(archive: &mut BoundedArchive, path: &str) -> Result<Self, OfficeError> {
        let mut codes: Vec<(usize, NumberStyle)> = Vec::new();
        let mut styles = Vec::new();
        let mut in_cells = false;
        archive.xml(path, |item| {
            match item {
                XmlItem::Start(start) if start.name == "numFmt" => {
                    let code = start.attribute("formatCode").unwrap_or_default();
                    codes.extend(start.number("numFmtId").map(|id| (id, of_code(&code))));
                }
                XmlItem::Start(start) if start.name == "cellXfs" => in_cells = true,
                XmlItem::End("cellXfs") => in_cells = false,
                XmlItem::Start(start) if start.name == "xf" && in_cells => {
                    let id = start.number("numFmtId").unwrap_or(0);
                    let own = codes.iter().find(|(known, _)| *known == id);
                    styles.push(own.map_or_else(|| built_in(id), |(_, style)| *style));
                }
                XmlItem::Start(_) | XmlItem::End(_) | XmlItem::Text(_) => {}
            }
            Ok(())
        })?;
        Ok(Self {
            styles,
            is_1904: false,
        })
    }

    /// A stored number as it is shown.
    pub(super) fn format_number(&self, stored: &str, style: usize) -> String {
        let Ok(value) = stored.trim().parse::<f64>() else {
            return stored.trim().to_owned();
        };
        match self.styles.get(style).copied().unwrap_or(NumberStyle::Plain) {
            NumberStyle::Plain => plain(value),
            NumberStyle::Percent => format!("{}%", plain(value * 100.0)),
            NumberStyle::Date => self.date(value),
        }
    }

    fn date(&self, days: f64) -> String {
        let since_1970 = if self.is_1904 { 24_107.0 } else { 25_569.0 };
        let millis = ((days - since_1970) * DAY_MS / 1_000.0).round() * 1_000.0;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a time out of range is cut off there"
        )]
        let text = Timestamp::from_millis(millis as i64).to_string();
        let (date, time) = text.split_once('T').unwrap_or((&text, ""));
        let time = time.get(..5).unwrap_or_default();
        match (days < 1.0, time) {
            (true, time) => time.to_owned(),
            (false, "00:00") => date.to_owned(),
            (false, time) => format!("{date} {time}"),
        }
    }
}

/// Formats a number with at most ten decimals: beyond them a stored number contains errors of binary fractions.
fn plain(value: f64) -> String {
    if value.abs() >= 1e15 {
        return format!("{value}");
    }
    let text = format!("{value:.10}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn built_in(id: usize) -> NumberStyle {
    match id {
        9 | 10 => NumberStyle::Percent,
        14..=22 | 27..=36 | 45..=47 | 50..=58 => NumberStyle::Date,
        _ => NumberStyle::Plain,
    }
}

/// The style of a format code: date letters outside quotes and brackets, or a percent sign.
fn of_code(code: &str) -> NumberStyle {
    let mut in_quotes = false;
    let mut in_brackets = false;
    let mut letters = String::new();
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' | '_' | '*' => {
                chars.next();
            }
            '"' => in_quotes = !in_quotes,
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            c if !in_quotes && !in_brackets => letters.push(c.to_ascii_lowercase()),
            _ => {}
        }
    }
    if letters.contains('%') {
        NumberStyle::Percent
    } else if letters != "general" && letters.contains(['y', 'm', 'd', 'h', 's']) {
        NumberStyle::Date
    } else {
        NumberStyle::Plain
    }
}
