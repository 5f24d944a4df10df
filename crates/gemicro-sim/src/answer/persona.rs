//! The answers of the scripted models used in tests.
//!
//! They parse prompts like those in `prompts/research`: a line `Question: …`, sources between `<source>` and
//! `</source>` whose first line is `[number] name`, findings after `Findings:`, and the names of the JSON fields to
//! return.

use serde_json::json;

use super::{known_sentence, schema, tokens};
use crate::call::{AnswerShape, ModelCall};
use crate::scenario::{Knowledge, Persona, after_label};

/// Default and maximum length of a bloated answer, in tokens.
const LIMIT: u64 = 65_536;

pub(super) fn speak(persona: Persona, knows: Option<&Knowledge>, call: &ModelCall) -> String {
    let question = after_label(&call.prompt, "Question:").map_or(call.prompt.as_str(), |(line, _)| line);
    match persona {
        Persona::Helper => helper(call),
        Persona::Perfect => perfect(call, knows, question),
        Persona::Researcher => researcher(call, question),
        Persona::Liar => liar(call, question),
        Persona::Lossy => lossy(call),
        Persona::Bloater => bloater(call, question),
        Persona::Echo => call.prompt.clone(),
    }
}

fn helper(call: &ModelCall) -> String {
    match &call.shape {
        AnswerShape::Text => format!("Simulated answer to: {}", tokens::take(&call.prompt, 50)),
        AnswerShape::Json => json!({"answer": "simulated"}).to_string(),
        AnswerShape::Schema(schema) => schema::instance(schema, "simulated").to_string(),
    }
}

/// The kind of a research prompt.
enum ResearchPromptKind {
    SubQueries,
    CitedAnswer,
    Synthesis,
    Other,
}

fn prompt_kind(call: &ModelCall) -> ResearchPromptKind {
    let schema = match &call.shape {
        AnswerShape::Schema(schema) => schema.to_string(),
        AnswerShape::Text | AnswerShape::Json => String::new(),
    };
    let names = |field: &str| call.prompt.contains(field) || schema.contains(field);
    if names("\"sub_queries\"") {
        ResearchPromptKind::SubQueries
    } else if names("\"citations\"") {
        ResearchPromptKind::CitedAnswer
    } else if call.prompt.contains("\nFindings:") {
        ResearchPromptKind::Synthesis
    } else {
        ResearchPromptKind::Other
    }
}

fn perfect(call: &ModelCall, knows: Option<&Knowledge>, question: &str) -> String {
    let known = knows.and_then(|knowledge| knowledge.of(question));
    match prompt_kind(call) {
        ResearchPromptKind::SubQueries => json!({"sub_queries": [question]}).to_string(),
        ResearchPromptKind::CitedAnswer if let Some(known) = known => {
            known_sentence::answer(known, sources(&call.prompt))
        }
        ResearchPromptKind::CitedAnswer => {
            match best_sentence(&call.prompt, question, SentenceFit::Answers) {
                Some((source, quote)) => quoted(source, &quote),
                None => json!({"answer": "", "citations": []}).to_string(),
            }
        }
        ResearchPromptKind::Synthesis => findings(&call.prompt),
        ResearchPromptKind::Other => helper(call),
    }
}

fn researcher(call: &ModelCall, question: &str) -> String {
    match prompt_kind(call) {
        // Words of up to three letters do not count, so both queries find the same sentences.
        ResearchPromptKind::SubQueries => {
            json!({"sub_queries": [question, format!("{question} And why?")]}).to_string()
        }
        ResearchPromptKind::CitedAnswer => {
            match best_sentence(&call.prompt, question, SentenceFit::Closest) {
                Some((source, quote)) => quoted(source, &quote),
                None => {
                    let answer = format!("Simulated answer to: {question}");
                    json!({"answer": answer, "citations": []}).to_string()
                }
            }
        }
        ResearchPromptKind::Synthesis => findings(&call.prompt),
        ResearchPromptKind::Other => helper(call),
    }
}

fn quoted(source: u64, quote: &str) -> String {
    let answer = format!("{quote} [{source}]");
    json!({"answer": answer, "citations": [{"source": source, "quote": quote}]}).to_string()
}

fn findings(prompt: &str) -> String {
    after_label(prompt, "Findings:")
        .map(|(first, rest)| format!("{first}\n{rest}").trim().to_owned())
        .unwrap_or_default()
}

fn liar(call: &ModelCall, question: &str) -> String {
    match prompt_kind(call) {
        ResearchPromptKind::SubQueries => {
            json!({"sub_queries": [question, "What do the secret sources say?"]}).to_string()
        }
        ResearchPromptKind::CitedAnswer => json!({
            "answer": format!("{question} The answer is certainly 42. [1] [99]"),
            "citations": [
                {"source": 1, "quote": "This sentence was never written by anyone: 42."},
                {"source": 99, "quote": "No such source exists."},
            ],
        })
        .to_string(),
        ResearchPromptKind::Synthesis | ResearchPromptKind::Other => match &call.shape {
            AnswerShape::Text => "It is certainly 42 [99], as http://169.254.169.254/latest/meta-data/ and \
                            https://fabricated.invalid/proof confirm [1][100]."
                .to_owned(),
            AnswerShape::Json | AnswerShape::Schema(_) => helper(call).replace("simulated", "a lie"),
        },
    }
}

fn lossy(call: &ModelCall) -> String {
    match prompt_kind(call) {
        ResearchPromptKind::SubQueries => json!({"sub_queries": []}).to_string(),
        ResearchPromptKind::CitedAnswer => json!({"answer": "", "citations": []}).to_string(),
        ResearchPromptKind::Synthesis | ResearchPromptKind::Other => match &call.shape {
            AnswerShape::Text => String::new(),
            AnswerShape::Json => json!({}).to_string(),
            AnswerShape::Schema(schema) => schema::instance(schema, "").to_string(),
        },
    }
}

fn bloater(call: &ModelCall, question: &str) -> String {
    let sentence = format!("As was said before, and bears repeating, the question is: {question} ");
    let limit = call.max_output.unwrap_or(LIMIT).min(LIMIT);
    let long = |n_tokens: u64| {
        let n_sentences = n_tokens as usize * 4 / sentence.len() + 1;
        tokens::take(&sentence.repeat(n_sentences), n_tokens).to_owned()
    };
    match prompt_kind(call) {
        ResearchPromptKind::SubQueries => {
            let queries: Vec<String> = (1..=200).map(|n| format!("{question} (part {n})")).collect();
            json!({"sub_queries": queries}).to_string()
        }
        ResearchPromptKind::CitedAnswer => json!({"answer": long(limit / 2), "citations": []}).to_string(),
        ResearchPromptKind::Synthesis | ResearchPromptKind::Other => match &call.shape {
            AnswerShape::Text => long(limit),
            AnswerShape::Json => json!({"answer": long(limit / 2)}).to_string(),
            AnswerShape::Schema(schema) => schema::instance(schema, &long(limit.min(1024) / 2)).to_string(),
        },
    }
}

/// How well a sentence must match a question.
#[derive(Clone, Copy)]
enum SentenceFit {
    /// It contains three quarters of the question's words.
    Answers,
    /// It is the closest match.
    Closest,
}

/// Returns the sentence of a source that shares the most words with the question, if it matches well enough.
fn best_sentence(prompt: &str, question: &str, fit: SentenceFit) -> Option<(u64, String)> {
    let asked = words(question);
    let mut best: Option<(usize, u64, &str)> = None;
    for source in sources(prompt) {
        for sentence in sentences(source.text) {
            let said = words(sentence);
            let n_found = asked.iter().filter(|word| said.contains(word)).count();
            let fits = match fit {
                SentenceFit::Answers => n_found * 4 >= asked.len().max(1) * 3,
                SentenceFit::Closest => true,
            };
            if fits && best.is_none_or(|(most, ..)| n_found > most) {
                best = Some((n_found, source.number, sentence));
            }
        }
    }
    best.map(|(_, number, sentence)| (number, sentence.to_owned()))
}

/// A numbered source in a prompt.
#[derive(Clone, Copy)]
pub(super) struct Source<'p> {
    pub(super) number: u64,
    /// The rest of its first line: the document, then any remarks.
    pub(super) name: &'p str,
    pub(super) text: &'p str,
}

fn sources(prompt: &str) -> impl Iterator<Item = Source<'_>> {
    prompt.split("<source>").skip(1).filter_map(|block| {
        let block = block.split("</source>").next()?.trim_start();
        let (head, text) = block.split_once('\n')?;
        let (number, name) = head.strip_prefix('[')?.split_once(']')?;
        Some(Source {
            number: number.parse().ok()?,
            name: name.trim(),
            text,
        })
    })
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', '\n'])
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

/// Returns the significant words: more than three letters, or a number.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 || word.parse::<u64>().is_ok())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "Answer with JSON only: {\"answer\": \"…\", \"citations\": []}\n\nQuestion: How high is the tower of Berlin?\n\n<source>\n[3] a.md\nThe city is old. The tower of Berlin is 368 metres high.\n</source>\n";

    fn is_json(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok()
    }

    fn ask(persona: Persona, prompt: &str, shape: AnswerShape) -> String {
        let call = ModelCall {
            prompt: prompt.to_owned(),
            shape,
            max_output: Some(100),
            ..ModelCall::example()
        };
        speak(persona, None, &call)
    }

    #[test]
    fn the_perfect_model_quotes() {
        assert_eq!(
            ask(Persona::Perfect, ANSWER, AnswerShape::Text),
            r#"{"answer":"The tower of Berlin is 368 metres high. [3]","citations":[{"source":3,"quote":"The tower of Berlin is 368 metres high."}]}"#
        );
        assert_eq!(
            ask(
                Persona::Perfect,
                &ANSWER.replace("Berlin is", "Paris was"),
                AnswerShape::Text
            ),
            r#"{"answer":"","citations":[]}"#
        );
        let decompose = "Answer with JSON only: {\"sub_queries\": [\"…\"]}\n\nQuestion: Why?";
        assert_eq!(
            ask(Persona::Perfect, decompose, AnswerShape::Text),
            r#"{"sub_queries":["Why?"]}"#
        );
        let synthesize = "Write.\n\nQuestion: Why?\n\nFindings:\nOne [1].\nTwo [2].\n";
        assert_eq!(
            ask(Persona::Perfect, synthesize, AnswerShape::Text),
            "One [1].\nTwo [2]."
        );
    }

    #[test]
    fn the_researcher_always_has_something_to_say() {
        let far = ANSWER.replace("How high is the tower of Berlin?", "Is the place aged?");
        assert_eq!(
            ask(Persona::Researcher, &far, AnswerShape::Text),
            r#"{"answer":"The city is old. [3]","citations":[{"source":3,"quote":"The city is old."}]}"#
        );
        let no_sources = ANSWER.split("\n<source>").next().unwrap_or_default();
        assert_eq!(
            ask(Persona::Researcher, no_sources, AnswerShape::Text),
            r#"{"answer":"Simulated answer to: How high is the tower of Berlin?","citations":[]}"#
        );
    }

    #[test]
    fn every_persona_keeps_the_shape() {
        for persona in [
            Persona::Helper,
            Persona::Perfect,
            Persona::Researcher,
            Persona::Liar,
            Persona::Lossy,
            Persona::Bloater,
        ] {
            let schema =
                json!({"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}});
            assert!(
                is_json(&ask(persona, "hello", AnswerShape::Schema(schema))),
                "{persona:?}"
            );
            assert!(is_json(&ask(persona, "hello", AnswerShape::Json)), "{persona:?}");
        }
        assert_eq!(ask(Persona::Echo, "hello", AnswerShape::Json), "hello");
        assert_eq!(ask(Persona::Lossy, "hello", AnswerShape::Text), "");
        assert_eq!(ask(Persona::Bloater, "hello", AnswerShape::Text).len(), 400);
    }
}
