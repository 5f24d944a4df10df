//! Limits and estimates, held against the real vocabulary of Gemma 3.

use gemicro_core::history::{HistoryError, HistoryManager, Turn, compressor_named};
use gemicro_core::tokens::{CautiousCount, TokenCount};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::corpus::{conversation, limited, lossy};
use super::vocabulary::Vocabulary;

const COMPRESSORS: [&str; 5] = [
    "summarise",
    "hierarchical",
    "retrieval",
    "deduplicate",
    "adaptive",
];

/// What a run over the prefixes of the conversation saw.
#[derive(Debug, Default)]
struct Seen {
    n_prompts: u64,
    n_refused: u64,
    /// The longest prompt, by the vocabulary.
    longest: u64,
    /// The least that the estimate was above the truth, in percent of it.
    least_margin: Option<u64>,
}

impl Seen {
    fn prompt(&mut self, vocabulary: &Vocabulary, text: &str, limit: u64, place: &str) {
        let real = vocabulary.tokens(text);
        assert!(real <= limit, "{place}: {real} tokens, limit {limit}");
        let counted = CautiousCount.tokens(text);
        assert!(counted >= real, "{place}: counted {counted} of {real}");
        self.n_prompts += 1;
        self.longest = self.longest.max(real);
        let margin = (counted - real) * 100 / real.max(1);
        self.least_margin = Some(self.least_margin.map_or(margin, |least| least.min(margin)));
    }

    fn refused(&mut self, error: &HistoryError, place: &str) {
        assert!(matches!(error, HistoryError::TooSmall { .. }), "{place}: {error}");
        self.n_refused += 1;
    }
}

/// The face of a conversation, turn by turn: the prompt after each.
fn check_face(vocabulary: &Vocabulary, limit: u64) -> Seen {
    let mut history = lossy(limited(limit));
    let mut seen = Seen::default();
    for turn in conversation().turns() {
        history.add_turn(turn.clone());
        let place = format!("limit {limit}, turn {}", turn.number);
        match history.prompt() {
            Ok(result) => seen.prompt(vocabulary, &result.prompt, limit, &place),
            Err(error) => seen.refused(&error, &place),
        }
    }
    seen
}

/// Every compressor on the prefixes that end with these turns.
fn check_compressors(vocabulary: &Vocabulary, limit: u64, cuts: &[u64]) -> Vec<(&'static str, Seen)> {
    let mut all = COMPRESSORS.map(|name| (name, Seen::default()));
    let mut history = HistoryManager::new(limited(limit));
    for turn in conversation().turns() {
        history.add_turn(turn.clone());
        if !cuts.contains(&turn.number) {
            continue;
        }
        for (name, seen) in &mut all {
            let compressor = compressor_named(name).expect("a name of ours");
            let place = format!("{name}, limit {limit}, turn {}", turn.number);
            match history.compressed_by(compressor.as_ref()) {
                Ok(compressed) => seen.prompt(vocabulary, &compressed.prompt.text, limit, &place),
                Err(error) => seen.refused(&error, &place),
            }
        }
    }
    all.into()
}

#[test]
fn no_prompt_of_any_prefix_is_longer_than_its_limit() {
    let vocabulary = Vocabulary::load();
    let seen = check_face(&vocabulary, 16_000);
    println!("{seen:?}");
    assert_eq!((seen.n_prompts, seen.n_refused), (500, 0));
    assert!(
        seen.longest > 12_000,
        "so much room is left that nothing was tested"
    );
}

/// A few prefixes; all of them take minutes, see below.
#[expect(clippy::print_stdout, reason = "figures to look at")]
fn check_limit(limit: u64) {
    let vocabulary = Vocabulary::load();
    for (name, seen) in check_compressors(&vocabulary, limit, &[17, 53, 149, 311, 500]) {
        println!("{name} {limit}: {seen:?}");
        assert!(seen.n_prompts > 0 || name == "deduplicate", "{name}");
        assert!(
            seen.n_refused == 0 || limit < 8_000 || name == "deduplicate",
            "{name}"
        );
    }
}

#[test]
fn compressors_keep_to_2k() {
    check_limit(2_000);
}

#[test]
fn compressors_keep_to_4k() {
    check_limit(4_000);
}

#[test]
fn compressors_keep_to_8k() {
    check_limit(8_000);
}

#[test]
fn compressors_keep_to_16k() {
    check_limit(16_000);
}

#[test]
fn compressors_keep_to_32k() {
    check_limit(32_000);
}

#[test]
#[ignore = "minutes: cargo test --release -p gemicro-core --test it -- --ignored --nocapture every_prefix"]
fn every_prefix_with_every_compressor_and_limit() {
    let vocabulary = Vocabulary::load();
    let cuts: Vec<u64> = (1..=500).collect();
    for limit in [2_000, 4_000, 8_000, 16_000, 32_000] {
        println!("{limit}: {:?}", check_face(&vocabulary, limit));
        for (name, seen) in check_compressors(&vocabulary, limit, &cuts) {
            println!("{name} {limit}: {seen:?}");
        }
    }
}

#[test]
fn lines_counted_one_by_one_are_the_whole() {
    let vocabulary = Vocabulary::load();
    let odd = ["", "\n", " \n \n\n\n x\n", "\r\n\t\n", "a\n\nb", "\u{2028}\n好\n"].map(str::to_owned);
    let turns: Vec<Turn> = conversation().turns().to_vec();
    for text in turns.into_iter().map(|turn| turn.text).chain(odd) {
        assert_eq!(vocabulary.tokens(&text), vocabulary.at_once(&text), "{text:?}");
    }
}

/// Alone, and so in any company: a vocabulary of byte pairs starts from single signs and only merges.
#[test]
fn every_sign_costs_what_the_table_says() {
    let vocabulary = Vocabulary::load();
    let table = include_bytes!("../../../src/tokens/signs.bin");
    let mut real = vec![0_u8; table.len()];
    for sign in '\u{80}'..='\u{1ffff}' {
        let mut buffer = [0; 4];
        let n_tokens = vocabulary.at_once(sign.encode_utf8(&mut buffer));
        let code = sign as usize;
        if n_tokens == 1 {
            real[code / 8] |= 1 << (code % 8);
        } else {
            assert_eq!(n_tokens, sign.len_utf8() as u64, "{sign:?}");
        }
    }
    if real != table {
        let file = std::env::temp_dir().join("signs.bin");
        std::fs::write(&file, real).unwrap();
        panic!("src/tokens/signs.bin should be {}", file.display());
    }
}

/// Signs of one script.
fn script() -> impl Strategy<Value = Vec<char>> {
    let ranges: [&[(char, char)]; 20] = [
        &[('a', 'z')],
        &[('a', 'z'), ('A', 'Z')],
        &[('a', 'z'), ('A', 'Z'), ('0', '9')],
        &[('!', '~')],
        &[('\0', '\u{7f}')],
        &[('0', '9')],
        &[('\u{a0}', '\u{17f}')],
        &[('α', 'ω')],
        &[('а', 'я')],
        &[('Ѐ', 'џ')],
        &[('א', 'ת')],
        &[('\u{621}', '\u{64a}')],
        &[('\u{900}', '\u{dff}')],
        &[('\u{e00}', '\u{eff}')],
        &[('\u{3040}', '\u{30ff}')],
        &[('\u{4e00}', '\u{9fff}')],
        &[('\u{ac00}', '\u{d7a3}')],
        &[('\u{2000}', '\u{2bff}')],
        &[('\u{1f300}', '\u{1faff}')],
        &[('\u{80}', '\u{10ffff}')],
    ];
    proptest::sample::select(
        ranges
            .map(|ranges| {
                let signs = ranges.iter().flat_map(|&(first, last)| first..=last);
                signs.collect::<Vec<char>>()
            })
            .to_vec(),
    )
}

/// Words of random signs, each of a script of its own.
fn mixed(n_words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word = (script(), 1..40_usize)
        .prop_flat_map(|(signs, length)| proptest::collection::vec(proptest::sample::select(signs), length));
    let between = proptest::sample::select(vec!["", " ", " ", " ", "\n", "  ", "\t", " \n"]);
    proptest::collection::vec((word, between), n_words).prop_map(|words| {
        let mut text = String::new();
        for (word, between) in words {
            text.extend(word);
            text.push_str(between);
        }
        text
    })
}

fn check_random(strategy: impl Strategy<Value = String>, allowance: u64) {
    let vocabulary = Vocabulary::load();
    let config = Config::default();
    let cases = config.cases.max(800);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..config
    });
    let result = runner.run(&strategy, |text| {
        let (real, counted) = (vocabulary.at_once(&text), CautiousCount.tokens(&text));
        prop_assert!(counted + allowance >= real, "counted {counted} of {real}");
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn random_text_of_mixed_scripts_is_never_counted_too_low() {
    check_random(mixed(20..60), 0);
}

/// A few letters without sense can look like a word.
#[test]
fn random_words_are_counted_too_low_by_little() {
    check_random(mixed(1..4), 6);
}
