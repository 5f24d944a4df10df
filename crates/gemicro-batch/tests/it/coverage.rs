//! Coverage: readers of reports, the way from a project's folder to its figures, and how they are told.

mod answers;
mod bad_reports;
mod minizinc;
mod paths;
mod places;
mod project;
mod properties;
mod readers;
mod real_tools;
mod step;
