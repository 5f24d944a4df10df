//! The two ways the index reads text, as tantivy tokenizers: [`ExactTokenizer`] and [`FoldedTokenizer`].

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::fold::folded_keys;
use super::words::{Words, push_normal};

/// Words as they are, in lower case, one position each: for phrases.
#[derive(Clone, Default)]
pub(super) struct ExactTokenizer;

/// Folded words, pairs of characters and parts of compounds: for scoring.
#[derive(Clone, Default)]
pub(super) struct FoldedTokenizer;

/// The words of a phrase in the form the exact fields hold.
pub(super) fn exact_keys(phrase: &str) -> Vec<String> {
    let mut stream = ExactStream {
        text: phrase,
        words: Words::new(phrase),
        token: Token::default(),
    };
    let mut keys = Vec::new();
    while stream.advance() {
        keys.push(stream.token().text.clone());
    }
    keys
}

/// Tokens made one by one while the text is read.
pub(super) struct ExactStream<'a> {
    text: &'a str,
    words: Words<'a>,
    token: Token,
}

impl Tokenizer for ExactTokenizer {
    type TokenStream<'a> = ExactStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> ExactStream<'a> {
        ExactStream {
            text,
            words: Words::new(text),
            token: Token::default(),
        }
    }
}

impl TokenStream for ExactStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.words.next() else {
            return false;
        };
        self.token.text.clear();
        push_normal(&self.text[word.range.clone()], &mut self.token.text);
        self.token.position = self.token.position.wrapping_add(1);
        self.token.offset_from = word.range.start;
        self.token.offset_to = word.range.end;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Tokens made all at once; positions and offsets are not used.
pub(super) struct FoldedStream {
    keys: std::vec::IntoIter<String>,
    token: Token,
}

impl Tokenizer for FoldedTokenizer {
    type TokenStream<'a> = FoldedStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> FoldedStream {
        FoldedStream {
            keys: folded_keys(text).into_iter(),
            token: Token::default(),
        }
    }
}

impl TokenStream for FoldedStream {
    fn advance(&mut self) -> bool {
        let Some(key) = self.keys.next() else { return false };
        self.token.text = key;
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
