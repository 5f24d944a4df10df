//! Draws a workflow as a Mermaid flowchart, which GitHub and GitLab can render.
//!
//! The main function is [`show_mermaid`]. An edge `back` is dotted, with one arrow for each possible target.

use std::fmt::Write as _;

use super::graph::Graph;
use super::model::{EdgeTarget, Workflow};
use super::outcomes::DONE;
use super::show::worker;

/// Returns the flowchart of a workflow.
#[must_use]
pub fn show_mermaid(workflow: &Workflow) -> String {
    let mut text = "flowchart TD\n".to_owned();
    for (mode, phase) in &workflow.modes {
        let _ = writeln!(text, "  mode_{mode}([{mode}]) --> {}", node(phase));
    }
    for phase in &workflow.phases {
        let label = [&phase.label, &phase.name, &worker(workflow, &phase.work)].map(|part| plain(part));
        let [label, name, worker] = label;
        let _ = writeln!(text, "  {}[\"{label} {name}<br/>{worker}\"]", node(&phase.name));
    }
    let graph = Graph::of(workflow);
    for (phase, edges) in workflow.phases.iter().zip(&graph.edges) {
        for edge in edges {
            let is_back = phase.edges.get(edge.word) == Some(&EdgeTarget::Back);
            let arrow = match (edge.word, is_back) {
                (DONE, false) => "-->".to_owned(),
                (DONE, true) => "-.->".to_owned(),
                (word, false) => format!("-->|{word}|"),
                (word, true) => format!("-.->|{word}|"),
            };
            let to = match edge.to {
                Some(idx) => node(&workflow.phases[idx].name),
                None => "the_end([end])".to_owned(),
            };
            let _ = writeln!(text, "  {} {arrow} {to}", node(&phase.name));
        }
    }
    text
}

/// Returns a name that cannot be a Mermaid keyword.
fn node(name: &str) -> String {
    format!("phase_{}", name.replace('-', "_m_"))
}

/// Escapes text, so that it cannot end its quotes or line, or be markup.
fn plain(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        c if c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '_' | '-') => c.to_string(),
        c => format!("#{};", u32::from(c)),
    });
    escaped.collect()
}
