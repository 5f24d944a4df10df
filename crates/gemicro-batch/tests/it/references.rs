//! References: what is one, what it becomes, and what it never does.

use std::collections::BTreeMap;

use gemicro_batch::reference::{ReferenceTemplate, ResolveError, references_in, resolve};
use gemicro_event::{ErrorKind, Failure, Json};
use proptest::prelude::*;
use serde_json::{Value, json};

fn outputs() -> BTreeMap<String, Json> {
    let of = |value: Value| Json::from(value);
    BTreeMap::from([
        (
            "a".to_owned(),
            of(
                json!({ "text": "hi", "n": 7, "list": [{ "x": "one" }, "two"], "none": null, "odd key": true }),
            ),
        ),
        (
            "b.c:1/x".to_owned(),
            of(json!({ "text": "${a.output.text} $${ ${HOME}" })),
        ),
    ])
}

fn put_in(value: &Value) -> Result<Value, ResolveError> {
    let outputs = outputs();
    resolve(value, None, &|task_id| outputs.get(task_id)).map(|it| it.parameters)
}

#[test]
fn what_a_text_becomes() {
    for (text, expected) in [
        ("plain", json!("plain")),
        ("", json!("")),
        ("${a.output.text}", json!("hi")),
        ("${a.output.n}", json!(7)),
        ("n = ${a.output.n}", json!("n = 7")),
        ("${a.output.text}${a.output.n}", json!("hi7")),
        ("${a.output.none}!", json!("null!")),
        ("${a.output.list[0].x}", json!("one")),
        ("${a.output.list.1}", json!("two")),
        ("${a.output.list}", json!([{ "x": "one" }, "two"])),
        ("see ${a.output.list}", json!(r#"see [{"x":"one"},"two"]"#)),
        ("${a.output.odd key}", json!(true)),
        ("${a.output}", outputs()["a"].clone().text().parse().unwrap()),
        // What an output holds is not read again.
        (
            "<${b.c:1/x.output.text}>",
            json!("<${a.output.text} $${ ${HOME}>"),
        ),
        // Escapes, and everything that only looks like a reference.
        ("$${a.output.text}", json!("${a.output.text}")),
        ("$$${a.output.n}", json!("$${a.output.n}")),
        ("$${", json!("${")),
        (
            "$ $$ ${ ${} ${a} ${a.out} ${HOME:-x} ${a.outputs}",
            json!("$ $$ ${ ${} ${a} ${a.out} ${HOME:-x} ${a.outputs}"),
        ),
        ("${a.output.}", json!("${a.output.}")),
        ("${a.output[x]}", json!("${a.output[x]}")),
        ("${a.output[1}", json!("${a.output[1}")),
        (
            "${a.output[99999999999999999999999]}",
            json!("${a.output[99999999999999999999999]}"),
        ),
        ("${.output}", json!("${.output}")),
        ("${a b.output}", json!("${a b.output}")),
        ("ü${a.output.text}ü", json!("ühiü")),
    ] {
        assert_eq!(put_in(&json!(text)).unwrap(), expected, "{text}");
    }
}

#[test]
fn references_are_found_everywhere_but_in_names() {
    let value =
        json!({ "x": ["${a.output}", { "y/z": "1 ${b.output.q} ${a.output[0]}" }], "${n.output}": 1 });
    let found: Vec<(String, String)> = references_in(&value)
        .into_iter()
        .map(|(place, reference)| (place, reference.to_string()))
        .collect();
    let expected = [
        ("/x/0", "${a.output}"),
        ("/x/1/y~1z", "${b.output.q}"),
        ("/x/1/y~1z", "${a.output[0]}"),
    ];
    assert_eq!(
        found,
        expected.map(|(place, text)| (place.to_owned(), text.to_owned()))
    );
}

#[test]
fn what_is_missing_is_named() {
    for (text, expected) in [
        (
            "${a.output.nope}",
            "/p: the reference ${a.output.nope} cannot be resolved: there is no `nope` among text, n, list, none, odd key",
        ),
        (
            "x ${a.output.list[2]}",
            "/p: the reference ${a.output.list[2]} cannot be resolved: index 2 is out of range: there are 2 values",
        ),
        (
            "${a.output.n.m}",
            "/p: the reference ${a.output.n.m} cannot be resolved: `m` cannot be looked up in a value that is neither an object nor an array",
        ),
        (
            "${z.output}",
            "/p: the reference ${z.output} cannot be resolved: task `z` has no output",
        ),
    ] {
        let error = put_in(&json!({ "p": text })).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(Failure::from(error).kind, ErrorKind::NotFound);
    }
}

#[test]
fn in_a_bound_field_values_stand_beside_the_text() {
    let outputs = BTreeMap::from([("a", Json::from(json!({ "text": "'; rm -rf / #" })))]);
    let value =
        json!({ "command": "echo \"${a.output.text}\" ${a.output.text} $${x}", "other": "${a.output.text}" });
    let resolved = resolve(&value, Some("command"), &|task_id| outputs.get(task_id)).unwrap();
    assert_eq!(
        resolved.parameters,
        json!({ "command": "echo \"${GEMICRO_REF_1}\" ${GEMICRO_REF_2} ${x}", "other": "'; rm -rf / #" })
    );
    let bound = |name: &str| (name.to_owned(), "'; rm -rf / #".to_owned());
    assert_eq!(
        resolved.variables,
        [bound("GEMICRO_REF_1"), bound("GEMICRO_REF_2")]
    );
}

#[test]
fn a_small_text_does_not_become_a_huge_one() {
    let outputs = BTreeMap::from([("a", Json::from(json!({ "text": "x".repeat(1 << 20) })))]);
    let value = json!("${a.output.text}".repeat(1_000));
    let error = resolve(&value, None, &|task_id| outputs.get(task_id)).err();
    assert_eq!(error, Some(ResolveError::TooLong));
    let whole = json!(vec!["${a.output}"; 1_000]);
    let error = resolve(&whole, None, &|task_id| outputs.get(task_id)).err();
    assert_eq!(error, Some(ResolveError::TooLong));
}

#[test]
fn openings_without_an_end_cost_little() {
    // Quadratic search would take minutes here.
    let text = "${".repeat(2 << 20);
    assert_eq!(ReferenceTemplate::read(&text).pieces.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn texts_without_a_dollar_stay_and_nothing_panics(text in "[ -~ü]{0,40}", noise in r"[\$\{\}a.output\[\]0]{0,40}") {
        let plain = text.replace('$', "");
        prop_assert_eq!(put_in(&json!(plain)).unwrap(), json!(plain));
        let _ = put_in(&json!(noise));
        // A reference is written as it is read.
        for reference in ReferenceTemplate::read(&noise).references() {
            let again = ReferenceTemplate::read(&reference.to_string());
            prop_assert_eq!(again.whole(), Some(reference));
        }
    }

    #[test]
    fn an_inserted_text_is_never_read_again(inserted in r"[\$\{\}a.output\[\]0x ]{0,40}", before in "[a-z ]{0,5}") {
        let outputs = BTreeMap::from([("a", Json::from(json!({ "t": inserted })))]);
        let value = json!(format!("{before}${{a.output.t}};"));
        let resolved = resolve(&value, None, &|task_id| outputs.get(task_id)).unwrap();
        prop_assert_eq!(resolved.parameters, json!(format!("{before}{inserted};")));
    }
}
