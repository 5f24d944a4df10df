//! Slides of a `.pptx`, each with its notes: [`read_slides`].

use std::collections::HashMap;

use super::archive::BoundedArchive;
use super::error::OfficeError;
use super::flow::{FlowParts, FlowReader};
use super::part::DocumentParts;
use super::relations::{Relation, relations_of};
use super::word::core_title;
use super::xml::XmlItem;

pub(super) fn read_slides(archive: &mut BoundedArchive, main: &str) -> Result<DocumentParts, OfficeError> {
    let mut found = DocumentParts {
        title: core_title(archive, "docProps/core.xml")?,
        ..DocumentParts::default()
    };
    let relations = relations_of(archive, main)?;
    let mut ids = Vec::new();
    archive.xml(main, |item| {
        if let XmlItem::Start(start) = item
            && start.name == "sldId"
        {
            ids.extend(start.relation_id());
        }
        Ok(())
    })?;
    let styles = HashMap::new();
    for (number, id) in (1..).zip(&ids) {
        let Some(slide) = relations.iter().find(|it| it.id == *id) else {
            continue;
        };
        if is_hidden(archive, &slide.target)? {
            found.left_out.push(format!("slide {number} is hidden"));
            continue;
        }
        let notes = relations_of(archive, &slide.target)?;
        let notes: Vec<&Relation> = notes.iter().filter(|it| it.kind == "notesSlide").collect();
        let mut reader = FlowReader::new(FlowParts::Runs, format!("slide {number}"), &styles, &mut found);
        archive.xml(&slide.target, |item| reader.item(item))?;
        for notes in notes {
            reader.heading(2, "Notes")?;
            archive.xml(&notes.target, |item| reader.item(item))?;
        }
        reader.end_part(String::new())?;
    }
    Ok(found)
}

fn is_hidden(archive: &mut BoundedArchive, slide: &str) -> Result<bool, OfficeError> {
    let mut is_hidden = false;
    archive.xml(slide, |item| {
        if let XmlItem::Start(start) = item
            && start.name == "sld"
        {
            is_hidden = start
                .attribute("show")
                .is_some_and(|show| show == "0" || show == "false");
        }
        Ok(())
    })?;
    Ok(is_hidden)
}
