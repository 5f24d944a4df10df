//! Reports as files: the structured report of a research run as Markdown and as one HTML page.
//!
//! A page needs nothing but itself: no script, no font, no image, and its policy allows none.

mod answer_html;
mod files;
mod html;
mod markdown;
#[cfg(test)]
mod tests;

pub(crate) use files::ReportFiles;
pub(crate) use html::{escape, report_page, story_page};
