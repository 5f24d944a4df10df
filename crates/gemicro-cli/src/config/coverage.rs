//! Settings for coverage: which reports are read.

use std::path::{Component, Path};

use super::layers::{RawSetting, Spec};
use super::{Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &["coverage.reports"];

const REPORTS: Spec<Vec<String>> = Spec {
    key: "coverage.reports",
    variable: "GEMICRO_COVERAGE_REPORTS",
    flag: "",
    read: reports,
};

/// The sources of coverage data.
#[derive(Debug, Clone)]
pub(crate) struct CoverageSettings {
    /// Reports, relative to the folder of a batch; empty for those in the usual places.
    pub(crate) reports: SettingValue<Vec<String>>,
}

impl CoverageSettings {
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, CommandError> {
        Ok(Self {
            reports: layers.pick(&REPORTS, None, Vec::new())?,
        })
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        let reports = &self.reports.value;
        let shown = match reports.is_empty() {
            true => "in the usual places".to_owned(),
            false => reports.join(", "),
        };
        vec![("coverage.reports", shown, self.reports.origin.clone())]
    }
}

/// Reads the reports, separated by commas in the variable. All must be in the folder of the batch that reads them.
fn reports(written: &RawSetting) -> Result<Vec<String>, String> {
    let texts = written.texts.iter().flat_map(|text| text.split(','));
    let report = |text: &str| {
        let text = text.trim();
        let is_inside = Path::new(text)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        match (text.is_empty(), is_inside) {
            (true, _) => Err("the name of a report is empty".to_owned()),
            (false, false) => Err(format!(
                "`{text}` is not a path inside the project; use a path relative to the project"
            )),
            (false, true) => Ok(text.to_owned()),
        }
    };
    texts.map(report).collect()
}
