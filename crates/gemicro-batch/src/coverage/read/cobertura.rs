//! Reads Cobertura XML, as written by gcovr, grcov, coverage.py, cargo-llvm-cov and others.
//!
//! Elements are streamed. Only XML's predefined entities are resolved: document types are skipped, and nothing in them
//! is expanded or fetched.

mod element;

use std::collections::BTreeMap;
use std::io::BufRead;

use quick_xml::events::{BytesStart, Event};

use self::element::{Elements, attribute};
use super::collected_report::CollectedReport;
use super::count::{count, line};
use super::read_error::ReportError;
use crate::coverage::bounds::MAX_DEPTH;
use crate::coverage::file_coverage::{FunctionCoverage, add};

pub(super) fn read(reader: impl BufRead, collected: &mut CollectedReport) -> Result<(), ReportError> {
    let mut elements = Elements::new(reader);
    let mut reading = CoberturaReader {
        collected,
        open: Vec::new(),
        source: String::new(),
        class: None,
        method: None,
        has_packages: false,
    };
    loop {
        let place = elements.place();
        let at = |message: String| ReportError::malformed(place.clone(), message);
        match elements.next()? {
            Event::Start(start) => {
                reading.start(&start).map_err(|fault| fault.at(&place))?;
                if reading.open.len() > MAX_DEPTH {
                    return Err(at(format!("more than {MAX_DEPTH} elements inside each other")));
                }
            }
            Event::Empty(start) => {
                reading.start(&start).map_err(|fault| fault.at(&place))?;
                reading.end()?;
            }
            Event::End(_) => reading.end()?,
            Event::Text(text) => reading.text(&String::from_utf8_lossy(&text)),
            Event::CData(text) => reading.text(&String::from_utf8_lossy(&text)),
            Event::GeneralRef(name) => {
                let entity = format!("&{};", String::from_utf8_lossy(&name));
                let text = quick_xml::escape::unescape(&entity);
                let text = text.map_err(|_| at(format!("the entity `{entity}` is not one of XML's own")))?;
                reading.text(&text);
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => break,
        }
    }
    if !reading.open.is_empty() {
        let message = "the report ends inside an element; it was cut off";
        return Err(ReportError::malformed(elements.place(), message));
    }
    if !reading.has_packages {
        let what = "XML, but not of Cobertura: it has no `packages`";
        return Err(ReportError::OtherFormat(what.to_owned()));
    }
    Ok(())
}

/// The elements that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementName {
    Coverage,
    Packages,
    Source,
    Class,
    Method,
    Line,
    Other,
}

/// A fault of an element.
enum ElementFault {
    /// A required attribute is missing or invalid.
    Odd(String),
    /// The document is not Cobertura, or a limit is exceeded.
    Final(ReportError),
}

impl ElementFault {
    fn at(self, place: &str) -> ReportError {
        match self {
            Self::Odd(message) => ReportError::malformed(place, message),
            Self::Final(error) => error,
        }
    }
}

impl From<String> for ElementFault {
    fn from(message: String) -> Self {
        Self::Odd(message)
    }
}

struct CoberturaReader<'c> {
    collected: &'c mut CollectedReport,
    open: Vec<ElementName>,
    source: String,
    class: Option<Class>,
    method: Option<CoberturaMethod>,
    has_packages: bool,
}

/// A class, which is a part of a file.
struct Class {
    file_idx: usize,
    lines: BTreeMap<u32, u64>,
    /// Lines of its methods, which the class itself may lack.
    of_methods: BTreeMap<u32, u64>,
}

struct CoberturaMethod {
    name: String,
    lines: BTreeMap<u32, u64>,
}

impl CoberturaReader<'_> {
    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), ElementFault> {
        let name = match start.local_name().as_ref() {
            b"coverage" => ElementName::Coverage,
            b"packages" => ElementName::Packages,
            b"source" => ElementName::Source,
            b"class" => ElementName::Class,
            b"method" => ElementName::Method,
            b"line" => ElementName::Line,
            _ => ElementName::Other,
        };
        if self.open.is_empty() && name != ElementName::Coverage {
            let root = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
            let what = format!(
                "XML, but not of Cobertura: it begins with `{}`",
                super::count::quote_start(&root)
            );
            return Err(ElementFault::Final(ReportError::OtherFormat(what)));
        }
        match name {
            ElementName::Packages => self.has_packages = true,
            ElementName::Source => self.source.clear(),
            ElementName::Class if self.class.is_none() => {
                let path = attribute(start, b"filename")?.unwrap_or_default();
                let path = self.collected.text(&path);
                if path.trim().is_empty() {
                    return Err("a `class` without `filename`".to_owned().into());
                }
                self.class = Some(Class {
                    file_idx: self.collected.file(&path).map_err(ElementFault::Final)?,
                    lines: BTreeMap::new(),
                    of_methods: BTreeMap::new(),
                });
            }
            ElementName::Method if self.method.is_none() => {
                let name = attribute(start, b"name")?.unwrap_or_default();
                let signature = attribute(start, b"signature")?.unwrap_or_default();
                let name = [name, signature].concat();
                self.method = Some(CoberturaMethod {
                    name: self.collected.text(&name).into_owned(),
                    lines: BTreeMap::new(),
                });
            }
            ElementName::Line => self.line(start)?,
            ElementName::Coverage | ElementName::Class | ElementName::Method | ElementName::Other => {}
        }
        self.open.push(name);
        Ok(())
    }

    fn line(&mut self, start: &BytesStart<'_>) -> Result<(), ElementFault> {
        let Some(class) = &mut self.class else {
            return Err("a `line` outside a `class`".to_owned().into());
        };
        let number = |name: &'static str| -> Result<String, String> {
            let value =
                attribute(start, name.as_bytes())?.ok_or_else(|| format!("a `line` without `{name}`"))?;
            Ok(String::from_utf8_lossy(&value).into_owned())
        };
        let count = count(&number("hits")?)?;
        let Some(line) = line(&number("number")?)? else {
            return Ok(());
        };
        let lines = match &mut self.method {
            Some(method) => &mut method.lines,
            None => &mut class.lines,
        };
        add(lines.entry(line).or_default(), count);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if self.open.last() == Some(&ElementName::Source) {
            self.source.push_str(text);
        }
    }

    fn end(&mut self) -> Result<(), ReportError> {
        let ended = self.open.pop();
        match ended {
            Some(ElementName::Source) => {
                let source = std::mem::take(&mut self.source);
                self.collected.add_source(source.trim().to_owned());
            }
            Some(ElementName::Method) if !self.open.contains(&ElementName::Method) => self.end_method()?,
            Some(ElementName::Class) if !self.open.contains(&ElementName::Class) => self.end_class()?,
            Some(
                ElementName::Coverage
                | ElementName::Packages
                | ElementName::Method
                | ElementName::Class
                | ElementName::Line
                | ElementName::Other,
            )
            | None => {}
        }
        Ok(())
    }

    /// A function begins at its first line; its count is that of this line, or else the highest of its lines.
    fn end_method(&mut self) -> Result<(), ReportError> {
        let (Some(method), Some(class)) = (self.method.take(), &mut self.class) else {
            return Ok(());
        };
        if let Some((&line, &first)) = method.lines.first_key_value() {
            let most = method.lines.values().copied().max().unwrap_or(0);
            let function = FunctionCoverage {
                name: method.name,
                line,
                count: if first > 0 { first } else { most },
            };
            self.collected.add_function(class.file_idx, function)?;
        }
        for (line, count) in method.lines {
            add(class.of_methods.entry(line).or_default(), count);
        }
        Ok(())
    }

    /// Lines that are listed in both a method and its class count once.
    fn end_class(&mut self) -> Result<(), ReportError> {
        let Some(mut class) = self.class.take() else {
            return Ok(());
        };
        for (line, count) in class.of_methods {
            class.lines.entry(line).or_insert(count);
        }
        let mut lines = class.lines.into_iter().collect();
        self.collected.add_lines(class.file_idx, &mut lines)
    }
}
