//! A workflow as a Mermaid flowchart, which GitHub and GitLab draw.
//!
//! The main function is [`show_mermaid`]. An edge back is dotted, once for each phase it may lead to.

use std::fmt::Write as _;

use super::graph::Graph;
use super::model::{EdgeTarget, Workflow};
use super::outcomes::DONE;
use super::show::worker;

/// The flowchart of a workflow.
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

/// A name that cannot be a word of Mermaid's own.
fn node(name: &str) -> String {
    format!("phase_{}", name.replace('-', "_m_"))
}

/// Text that ends neither its quotes nor its line, and is no markup.
fn plain(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        c if c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '_' | '-') => c.to_string(),
        c => format!("#{};", u32::from(c)),
    });
    escaped.collect()
}
