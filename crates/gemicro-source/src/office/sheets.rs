//! Sheets of an `.xlsx`, row by row: [`read_sheets`].

use super::archive::BoundedArchive;
use super::error::{MAX_TEXT, OfficeError};
use super::part::{DocumentParts, PartWriter, cell_text};
use super::relations::relations_of;
use super::sheet_values::NumberStyles;
use super::xml::{XmlItem, XmlStart};

/// Maximum number of columns of a sheet, as in Excel.
const MAX_COLUMNS: usize = 16_384;

struct Sheet {
    name: String,
    relation: String,
    is_hidden: bool,
}

pub(super) fn read_sheets(archive: &mut BoundedArchive, main: &str) -> Result<DocumentParts, OfficeError> {
    let mut found = DocumentParts::default();
    let relations = relations_of(archive, main)?;
    let target = |kind: &str| {
        relations
            .iter()
            .find(|it| it.kind == kind)
            .map(|it| it.target.as_str())
    };
    let (sheets, is_1904) = read_workbook(archive, main)?;
    let strings = match target("sharedStrings") {
        Some(path) => read_strings(archive, path)?,
        None => Vec::new(),
    };
    let mut styles = match target("styles") {
        Some(path) => NumberStyles::read(archive, path)?,
        None => NumberStyles::default(),
    };
    styles.is_1904 = is_1904;
    for sheet in sheets {
        if sheet.is_hidden {
            found.left_out.push(format!("sheet {} is hidden", sheet.name));
            continue;
        }
        let Some(relation) = relations.iter().find(|it| it.id == sheet.relation) else {
            continue;
        };
        let mut reader = SheetReader::new(&strings, &styles);
        archive.xml(&relation.target, |item| reader.item(&item))?;
        let mut parsed = reader.writer.finish();
        parsed.title = Some(sheet.name.clone());
        found.push(format!("sheet {}", sheet.name), parsed)?;
    }
    Ok(found)
}

/// The sheets in their order, and whether days are counted from 1904.
fn read_workbook(archive: &mut BoundedArchive, main: &str) -> Result<(Vec<Sheet>, bool), OfficeError> {
    let mut sheets = Vec::new();
    let mut is_1904 = false;
    archive.xml(main, |item| {
        if let XmlItem::Start(start) = item {
            match start.name {
                "sheet" => sheets.push(Sheet {
                    name: cell_text(&start.attribute("name").unwrap_or_default()),
                    relation: start.relation_id().unwrap_or_default(),
                    is_hidden: start.attribute("state").is_some_and(|state| state != "visible"),
                }),
                "workbookPr" => {
                    is_1904 = start
                        .attribute("date1904")
                        .is_some_and(|value| value == "1" || value == "true");
                }
                _ => {}
            }
        }
        Ok(())
    })?;
    Ok((sheets, is_1904))
}

/// The strings that cells refer to, without the phonetic hints of Japanese ones.
fn read_strings(archive: &mut BoundedArchive, path: &str) -> Result<Vec<String>, OfficeError> {
    let mut strings: Vec<String> = Vec::new();
    let (mut in_text, mut in_aid) = (false, false);
    let mut n_bytes = 0;
    archive.xml(path, |item| {
        match item {
            XmlItem::Start(start) if start.name == "si" => strings.push(String::new()),
            XmlItem::Start(start) if start.name == "rPh" => in_aid = true,
            XmlItem::End("rPh") => in_aid = false,
            XmlItem::Start(start) if start.name == "t" => in_text = !in_aid,
            XmlItem::End("t") => in_text = false,
            XmlItem::Text(text) if in_text => {
                n_bytes += text.len();
                if n_bytes > MAX_TEXT {
                    return Err(OfficeError::Text);
                }
                strings.last_mut().into_iter().for_each(|it| it.push_str(text));
            }
            XmlItem::Start(_) | XmlItem::End(_) | XmlItem::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(strings)
}

/// Where the current characters belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellField {
    None,
    Value,
    Formula,
}

struct SheetReader<'a> {
    strings: &'a [String],
    styles: &'a NumberStyles,
    writer: PartWriter,
    row: Vec<String>,
    column: usize,
    kind: String,
    style: usize,
    value: String,
    formula: String,
    field: CellField,
}

impl<'a> SheetReader<'a> {
    fn new(strings: &'a [String], styles: &'a NumberStyles) -> Self {
        Self {
            strings,
            styles,
            writer: PartWriter::default(),
            row: Vec::new(),
            column: 0,
            kind: String::new(),
            style: 0,
            value: String::new(),
            formula: String::new(),
            field: CellField::None,
        }
    }

    fn item(&mut self, item: &XmlItem<'_>) -> Result<(), OfficeError> {
        match item {
            XmlItem::Start(start) => self.start(start),
            XmlItem::Text(text) => match self.field {
                CellField::Value => self.value.push_str(text),
                CellField::Formula => self.formula.push_str(text),
                CellField::None => {}
            },
            XmlItem::End("v" | "f" | "t") => self.field = CellField::None,
            XmlItem::End("c") => self.end_cell(),
            XmlItem::End("row") => return self.writer.row(&std::mem::take(&mut self.row)),
            XmlItem::End(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, start: &XmlStart<'_>) {
        match start.name {
            "row" => self.row.clear(),
            "c" => {
                let place = start.attribute("r").and_then(|place| column_of(&place));
                self.column = place.unwrap_or(self.row.len());
                self.kind = start.attribute("t").unwrap_or_default();
                self.style = start.number("s").unwrap_or(0);
                self.value.clear();
                self.formula.clear();
            }
            "v" | "t" => self.field = CellField::Value,
            "f" => self.field = CellField::Formula,
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        let stored = self.value.as_str();
        let shown = match self.kind.as_str() {
            "s" => stored
                .trim()
                .parse()
                .ok()
                .and_then(|idx: usize| self.strings.get(idx))
                .cloned(),
            "b" => Some(if stored.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned()),
            "str" | "inlineStr" | "e" | "d" => Some(stored.to_owned()),
            _ if stored.is_empty() => None,
            _ => Some(self.styles.format_number(stored, self.style)),
        };
        let shown = match shown {
            Some(shown) if !shown.is_empty() => shown,
            _ if !self.formula.is_empty() => format!("={}", self.formula),
            _ => return,
        };
        if self.column < MAX_COLUMNS {
            self.row
                .resize(self.row.len().max(self.column + 1), String::new());
            self.row[self.column] = cell_text(&shown);
        }
    }
}

/// The column of a cell reference such as `B2`, from 0.
fn column_of(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase);
    let column = letters
        .take(4)
        .fold(0, |column, letter| column * 26 + usize::from(letter - b'A') + 1);
    column.checked_sub(1)
}
