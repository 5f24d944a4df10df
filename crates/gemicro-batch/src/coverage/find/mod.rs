//! Finds reports, and maps the paths in them to files of the project.
//!
//! `usual_places` lists where reports usually are, for requests that name none; `opened_report` opens a report without
//! leaving the project; `project_paths` makes the paths of a report relative to the project's folder.

mod opened_report;
mod project_paths;
mod usual_places;

pub(super) use opened_report::{OpenedReport, open};
pub(super) use project_paths::ProjectPaths;
pub use usual_places::{ReportNames, USUAL_PLACES};
pub(super) use usual_places::{places_text, usual_reports};
