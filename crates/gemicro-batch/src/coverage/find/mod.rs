//! Finding reports, and finding the files of the project in what they say.
//!
//! `usual_places` lists where reports usually are, if none is named; `opened_report` opens a report that does not lead out of the
//! project; `project_paths` says the paths of a report from the project's folder on.

mod opened_report;
mod project_paths;
mod usual_places;

pub(super) use opened_report::{OpenedReport, open};
pub(super) use project_paths::ProjectPaths;
pub use usual_places::{ReportNames, USUAL_PLACES};
pub(super) use usual_places::{places_text, usual_reports};
