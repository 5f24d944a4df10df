//! Reads XML within limits: [`read_xml`].
//!
//! Document type definitions are not read, so there are no entities besides the predefined ones, and nothing is
//! fetched.

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;

use super::error::{MAX_DEPTH, OfficeError};

/// The items that a visitor receives. Names are without their prefix.
pub(super) enum XmlItem<'a> {
    Start(XmlStart<'a>),
    End(&'a str),
    Text(&'a str),
}

/// The start of an element.
pub(super) struct XmlStart<'a> {
    pub(super) name: &'a str,
    start: &'a BytesStart<'a>,
}

impl XmlStart<'_> {
    /// The value of an attribute, ignoring its prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        self.value_of(|key| key.local_name().as_ref() == name.as_bytes())
    }

    /// The id of a relation (`r:id`), which only differs by its prefix from the element's own `id`.
    pub(super) fn relation_id(&self) -> Option<String> {
        self.value_of(|key| key.prefix().is_some() && key.local_name().as_ref() == b"id")
    }

    fn value_of(&self, is_wanted: impl Fn(QName<'_>) -> bool) -> Option<String> {
        let mut attributes = self.start.attributes().flatten();
        let found = attributes.find(|it| is_wanted(it.key))?;
        let value = String::from_utf8_lossy(&found.value).into_owned();
        let text = quick_xml::escape::unescape(&value)
            .ok()
            .map(|text| text.into_owned());
        Some(text.unwrap_or(value))
    }

    /// The value of a numeric attribute.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.attribute(name)?.parse().ok()
    }
}

/// Visits all elements and texts.
pub(super) fn read_xml(
    input: impl BufRead,
    mut visit: impl FnMut(XmlItem<'_>) -> Result<(), OfficeError>,
) -> Result<(), OfficeError> {
    let mut reader = Reader::from_reader(input);
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut depth = 0usize;
    loop {
        buffer.clear();
        match reader
            .read_event_into(&mut buffer)
            .map_err(OfficeError::broken_file)?
        {
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(OfficeError::Depth);
                }
                let name = start.local_name();
                let name = String::from_utf8_lossy(name.as_ref());
                visit(XmlItem::Start(XmlStart {
                    name: &name,
                    start: &start,
                }))?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                visit(XmlItem::End(&String::from_utf8_lossy(end.local_name().as_ref())))?;
            }
            Event::Text(text) => visit(XmlItem::Text(&text.decode().map_err(OfficeError::broken_file)?))?,
            Event::CData(text) => visit(XmlItem::Text(&text.decode().map_err(OfficeError::broken_file)?))?,
            Event::GeneralRef(entity) => {
                let name = entity.decode().map_err(OfficeError::broken_file)?;
                match entity.resolve_char_ref().map_err(OfficeError::broken_file)? {
                    Some(c) => visit(XmlItem::Text(c.encode_utf8(&mut [0; 4])))?,
                    None => visit(XmlItem::Text(
                        resolve_predefined_entity(&name).unwrap_or_default(),
                    ))?,
                }
            }
            Event::DocType(_) => return Err(OfficeError::DocumentType),
            Event::Eof if depth > 0 => return Err(OfficeError::broken_file("its XML ends too early")),
            Event::Eof => return Ok(()),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
}
