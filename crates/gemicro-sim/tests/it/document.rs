//! The examples in `docs/simulator.md` are scenarios and scripts.

use gemicro_sim::agent::AgentScript;
use gemicro_sim::scenario::Scenario;

fn document() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/simulator.md");
    std::fs::read_to_string(path).expect("the document is there")
}

#[test]
fn every_script_in_the_document_is_read() {
    let text = document();
    let scripts: Vec<&str> = text
        .split("```agent\n")
        .skip(1)
        .map(|block| block.split("```").next().unwrap())
        .collect();
    for yaml in &scripts {
        AgentScript::parse("docs/simulator.md", yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    }
    assert_eq!(scripts.len(), 1);
}

#[test]
fn every_example_in_the_document_is_read() {
    let text = document();
    let mut n_read = 0;
    for block in text.split("```yaml\n").skip(1) {
        let yaml = block.split("```").next().unwrap();
        // Parts of a scenario are shown as its rules alone.
        let whole = if yaml.starts_with("scenario:") {
            yaml.to_owned()
        } else {
            format!("scenario: part\nrules:\n{yaml}")
        };
        Scenario::parse("docs/simulator.md", &whole).unwrap_or_else(|error| panic!("{error}\n{whole}"));
        n_read += 1;
    }
    assert!(n_read >= 4, "{n_read} examples");
}
