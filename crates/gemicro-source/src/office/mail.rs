//! Reads email: [`read_mail`].
//!
//! The text parts are read, or the HTML parts if there are none. Attachments are listed, not opened.

use gemicro_core::corpus::{Block, BlockKind};
use mail_parser::{Message, MessageParser, MimeHeaders, PartType};

use super::error::OfficeError;
use super::part::{DocumentParts, PartWriter, cell_text};
use crate::parse::{ParsedText, parse_html, parse_text};

pub(super) fn read_mail(bytes: &[u8]) -> Result<DocumentParts, OfficeError> {
    let message = MessageParser::default()
        .parse(bytes)
        .filter(|message| message.from().is_some() || message.date().is_some() || message.subject().is_some())
        .ok_or_else(|| OfficeError::broken_file("it is not a mail message"))?;
    let mut parsed = header(&message)?;
    for body in bodies(&message) {
        let start = parsed.text.len();
        parsed.text.push_str(&body.text);
        parsed.text.push('\n');
        parsed.blocks.extend(body.blocks.into_iter().map(|block| Block {
            range: block.range.start + start..block.range.end + start,
            ..block
        }));
    }
    parsed.title = message.subject().map(cell_text);
    let date = message.date().filter(|date| date.is_valid());
    parsed.date = date.map(|date| format!("{:04}-{:02}-{:02}", date.year, date.month, date.day));
    let mut found = DocumentParts::default();
    found.push(String::new(), parsed)?;
    Ok(found)
}

/// From, date, subject and attachments as lines.
fn header(message: &Message<'_>) -> Result<ParsedText, OfficeError> {
    let mut writer = PartWriter::default();
    let mut line = |name: &str, value: &str| writer.block(BlockKind::KeyValue, &format!("{name}: {value}"));
    for (name, people) in [("From", message.from()), ("To", message.to())] {
        let people = people.map(mail_parser::Address::iter).into_iter().flatten();
        // A person's name can be quoted, an email address cannot, so the address is left out if there is a name.
        let people = people.filter_map(|it| it.name().or(it.address())).map(cell_text);
        let people: Vec<String> = people.filter(|it| !it.is_empty()).collect();
        if !people.is_empty() {
            line(name, &people.join(", "))?;
        }
    }
    if let Some(date) = message.date().filter(|date| date.is_valid()) {
        let (hour, minute) = (date.hour, date.minute);
        line(
            "Date",
            &format!(
                "{:04}-{:02}-{:02} {hour:02}:{minute:02}",
                date.year, date.month, date.day
            ),
        )?;
    }
    if let Some(subject) = message.subject() {
        line("Subject", &cell_text(subject))?;
    }
    for attachment in message.attachments() {
        let name = attachment.attachment_name().map(cell_text);
        let name = name
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "without a name".to_owned());
        line("Attachment (not read)", &name)?;
    }
    Ok(writer.finish())
}

fn bodies(message: &Message<'_>) -> Vec<ParsedText> {
    let texts: Vec<ParsedText> = message
        .text_bodies()
        .filter_map(|part| match &part.body {
            PartType::Text(text) => Some(parse_text(text.replace("\r\n", "\n"))),
            _ => None,
        })
        .collect();
    if !texts.is_empty() {
        return texts;
    }
    let pages = message.html_bodies().filter_map(|part| match &part.body {
        PartType::Html(page) => Some(parse_html(page)),
        _ => None,
    });
    pages.collect()
}
