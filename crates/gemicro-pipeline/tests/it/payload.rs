//! Every labelled answer of `cases/verdict-cases.jsonl`: what is read, whether it is tagged, and which rule refuses it.

use gemicro_pipeline::payload::{Nonce, PayloadMarks, PayloadShape, marks, read};
use serde_json::Value;

/// One labelled answer, with its large texts written out.
struct Case {
    id: String,
    shape: PayloadShape,
    nonce: Nonce,
    output: String,
    label: Value,
}

fn cases() -> impl Iterator<Item = Case> {
    include_str!("../cases/verdict-cases.jsonl").lines().map(|line| {
        let mut label: Value = serde_json::from_str(line).unwrap();
        for expansion in label["expand"].as_array().cloned().unwrap_or_default() {
            let mark = expansion["mark"].as_str().unwrap();
            let times = usize::try_from(expansion["times"].as_u64().unwrap()).unwrap();
            let text = expansion["text"].as_str().unwrap().repeat(times);
            expand(&mut label["output"], mark, &text);
            expand(&mut label["expect"]["payload"], mark, &text);
        }
        let text = |key: &str| label[key].as_str().unwrap().to_owned();
        Case {
            id: text("id"),
            shape: text("role").parse().unwrap(),
            nonce: text("nonce").parse().unwrap(),
            output: text("output"),
            label,
        }
    })
}

fn expand(value: &mut Value, mark: &str, text: &str) {
    match value {
        Value::String(written) => *written = written.replace(mark, text),
        Value::Array(items) => items.iter_mut().for_each(|item| expand(item, mark, text)),
        Value::Object(members) => members.values_mut().for_each(|member| expand(member, mark, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// All but the payload, in words that can be compared.
fn describe(state: &str, tagged: bool, marks: PayloadMarks) -> String {
    format!("{state} tagged={tagged} {marks:?}")
}

#[test]
fn every_labelled_answer_is_read_as_labelled() {
    let mut wrong = Vec::new();
    let mut n_cases = 0;
    for case in cases() {
        n_cases += 1;
        let reading = read(&case.output, case.shape, &case.nonce);
        let payload = reading.payload.as_ref().map(|payload| payload.value());
        let found = describe(reading.state.as_str(), reading.tagged, marks(&reading));
        let label = &case.label;
        let labelled_payload = Some(&label["expect"]["payload"]).filter(|payload| !payload.is_null());
        let labelled = describe(
            label["expect"]["state"].as_str().unwrap(),
            label["tagged"].as_bool().unwrap(),
            PayloadMarks {
                gate: label["gate"] == "refuse",
                path: label["path"] == "refuse",
                honesty: label["honesty"] == "refuse",
                backlog: label["backlog"] == "clean",
            },
        );
        if found != labelled || payload != labelled_payload {
            let is_same = if payload == labelled_payload {
                "same"
            } else {
                "another"
            };
            wrong.push(format!(
                "{}: {is_same} payload\n  labelled {labelled}\n  found    {found}",
                case.id
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(n_cases, 471);
}
