//! Definitions: what a question wants defined, and sentences that define it.

use gemicro_event::text::one_line;

/// The term of "What is X?" and "What does X mean?", in lower case.
pub(crate) fn asked_definition(question: &str) -> Option<String> {
    let plain: String = question.chars().filter(|c| !is_mark(*c)).collect();
    let lower = plain.trim().trim_end_matches(['?', ' ']).to_lowercase();
    let (rest, most_words) = if let Some(rest) = lower.strip_prefix("what does ") {
        (
            rest.split_once(" mean")
                .map(|(term, _)| term)
                .or_else(|| rest.strip_suffix(" stand for"))?,
            4,
        )
    } else {
        let rest = lower
            .strip_prefix("what is ")
            .or_else(|| lower.strip_prefix("what's "))
            .or_else(|| lower.strip_prefix("what are "))?;
        // "What is the X" asks for a value more often than for a meaning.
        (rest, if rest.starts_with("the ") { 2 } else { 3 })
    };
    let term = ["a ", "an ", "the "]
        .iter()
        .find_map(|article| rest.strip_prefix(article))
        .unwrap_or(rest);
    let n_words = rest.split_whitespace().count();
    (n_words <= most_words && !rest.starts_with("there ")).then(|| term.to_owned())
}

/// Whether a sentence says what a term is: "X is …", "An X means …", "X: …".
pub(crate) fn defines_term(sentence: &str, term: &str) -> bool {
    const SAYS: [&str; 12] = [
        "? ",
        " = ",
        " is ",
        " are ",
        " means ",
        " stands for ",
        " refers to ",
        " was ",
        ": ",
        " – ",
        " — ",
        ", a ",
    ];
    behind_term(sentence, term).is_some_and(|after| SAYS.iter().any(|verb| after.starts_with(verb)))
}

/// Whether a sentence begins with a term, perhaps behind an article.
pub(crate) fn starts_with_term(sentence: &str, term: &str) -> bool {
    behind_term(sentence, term).is_some_and(|after| !after.starts_with(char::is_alphanumeric))
}

/// What follows a term that opens a sentence, in lower case and without marks of emphasis.
fn behind_term(sentence: &str, term: &str) -> Option<String> {
    let plain: String = sentence.chars().filter(|c| !is_mark(*c)).collect();
    let lower = one_line(&plain).to_lowercase();
    let asked = ["what is ", "what's ", "what does "]
        .iter()
        .find_map(|ask| lower.strip_prefix(ask));
    let lower = asked.unwrap_or(&lower);
    let article = ["a ", "an ", "the "]
        .iter()
        .find_map(|article| lower.strip_prefix(article));
    let after = article.unwrap_or(lower).strip_prefix(term)?;
    let plural = after.strip_prefix('s').filter(|_| !term.ends_with('s'));
    Some(plural.unwrap_or(after).to_owned())
}

fn is_mark(c: char) -> bool {
    matches!(c, '*' | '`' | '_' | '“' | '”' | '"')
}
