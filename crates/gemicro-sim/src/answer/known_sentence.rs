//! The perfect model's answer to a known question: only sentences from the given sources.

use gemicro_event::text::one_line;
use serde_json::{Value, json};

use super::persona::Source;
use crate::scenario::{GoldSentence, KnownQuestion};

/// An answering sentence, found in a source.
struct KnownSentence<'k> {
    sentence: String,
    source: u64,
    gold: &'k GoldSentence,
}

/// Quotes the gold sentences found in the sources, each with its source number; the answer is empty if there are none.
pub(super) fn answer<'p>(known: &KnownQuestion, sources: impl Iterator<Item = Source<'p>>) -> String {
    let sources: Vec<Source<'p>> = sources.collect();
    let found: Vec<KnownSentence<'_>> = known
        .gold
        .iter()
        .filter_map(|gold| find_sentence(gold, &sources))
        .collect();
    let sentences = found.iter().map(|it| format!("{} [{}]", it.sentence, it.source));
    let mut answer = sentences.collect::<Vec<_>>().join(" ");
    if found.len() == known.gold.len() && !found.is_empty() {
        // A value that the sentences phrase differently.
        for term in &known.answer_terms {
            if !answer.contains(term) {
                answer = format!("{term}: {answer}");
            }
        }
    }
    let citations: Vec<Value> = found
        .iter()
        .map(|it| json!({"source": it.source, "quote": it.sentence}))
        .collect();
    let mut whole = json!({"answer": answer, "citations": citations});
    if known.kind == "contradiction" && found.len() > 1 {
        let sides = found.iter().map(|it| {
            let value = value(known, it);
            json!({"source": it.source, "quote": it.sentence, "value": value})
        });
        whole["contradictions"] = json!([{"sides": sides.collect::<Vec<_>>()}]);
    }
    whole.to_string()
}

/// Finds the sentence in its own document, or else in a near copy of it.
fn find_sentence<'k>(gold: &'k GoldSentence, sources: &[Source<'_>]) -> Option<KnownSentence<'k>> {
    // A table row is shown without its outer bars.
    let sentence = one_line(gold.span.trim().trim_matches('|'));
    let docs = std::iter::once(&gold.doc).chain(&gold.same_in);
    docs.into_iter().find_map(|doc| {
        let source = sources
            .iter()
            .find(|source| is_named(source, doc) && one_line(source.text).contains(&sentence))?;
        Some(KnownSentence {
            sentence: sentence.clone(),
            source: source.number,
            gold,
        })
    })
}

fn is_named(source: &Source<'_>, doc: &str) -> bool {
    let rest = source.name.strip_prefix(doc);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Returns the value on this side of a contradiction: the term that occurs in no other sentence.
fn value(known: &KnownQuestion, found: &KnownSentence<'_>) -> String {
    let others = || known.gold.iter().filter(|gold| *gold != found.gold);
    let terms = || {
        known
            .answer_terms
            .iter()
            .filter(|term| found.sentence.contains(*term))
    };
    let own = terms().find(|term| !others().any(|gold| gold.span.contains(*term)));
    own.or_else(|| terms().next()).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(doc: &str, span: &str, same_in: &[&str]) -> GoldSentence {
        GoldSentence {
            doc: doc.to_owned(),
            span: span.to_owned(),
            same_in: same_in.iter().map(|doc| (*doc).to_owned()).collect(),
        }
    }

    fn source<'p>(number: u64, name: &'p str, text: &'p str) -> Source<'p> {
        Source { number, name, text }
    }

    fn known(kind: &str, gold: Vec<GoldSentence>, terms: &[&str]) -> KnownQuestion {
        KnownQuestion {
            question: "How fast is the mill?".to_owned(),
            kind: kind.to_owned(),
            gold,
            answer_terms: terms.iter().map(|term| (*term).to_owned()).collect(),
        }
    }

    #[test]
    fn only_what_stands_in_the_right_source_is_quoted() {
        let slow = "The mill turns at 12 rpm.";
        let one = || known("single", vec![gold("a.md", slow, &["b.md"])], &["12"]);
        let quoted = |number: u64| {
            format!(
                r#"{{"answer":"{slow} [{number}]","citations":[{{"source":{number},"quote":"{slow}"}}]}}"#
            )
        };
        let nothing = r#"{"answer":"","citations":[]}"#;
        let wrapped = "So. The mill\n turns at 12\nrpm. So.";
        let cases = [
            (vec![source(3, "a.md", wrapped)], quoted(3)),
            (vec![source(3, "a.md (2031-01-02)", wrapped)], quoted(3)),
            (vec![source(1, "b.md", slow), source(2, "a.md", slow)], quoted(2)),
            (vec![source(1, "b.md", slow)], quoted(1)),
            (vec![source(1, "a.md.old", slow)], nothing.to_owned()),
            (vec![source(1, "c.md", slow)], nothing.to_owned()),
            (
                vec![source(1, "a.md", "The mill turns at 13 rpm.")],
                nothing.to_owned(),
            ),
            (Vec::new(), nothing.to_owned()),
        ];
        for (sources, expected) in cases {
            assert_eq!(answer(&one(), sources.into_iter()), expected);
        }
        let worded = known("single", vec![gold("a.md", slow, &[])], &["twelve"]);
        let said = answer(&worded, [source(1, "a.md", slow)].into_iter());
        assert!(said.starts_with(r#"{"answer":"twelve: The mill"#), "{said}");
    }

    #[test]
    fn a_contradiction_has_two_sides_with_their_values() {
        let golds = vec![
            gold("a.md", "It turns at 12 rpm in 2031.", &[]),
            gold("b.md", "It turns at 13 rpm in 2031.", &[]),
        ];
        let both = known("contradiction", golds, &["2031", "12", "13"]);
        let sources = [
            source(1, "a.md", "It turns at 12 rpm in 2031."),
            source(2, "b.md", "It turns at 13 rpm in 2031."),
        ];
        let said: Value = serde_json::from_str(&answer(&both, sources.into_iter())).unwrap();
        let sides = &said["contradictions"][0]["sides"];
        assert_eq!([&sides[0]["value"], &sides[1]["value"]], ["12", "13"]);
        assert_eq!(sides[1]["source"], 2);
        let said: Value = serde_json::from_str(&answer(&both, sources[..1].iter().copied())).unwrap();
        assert_eq!(said.get("contradictions"), None);
    }
}
