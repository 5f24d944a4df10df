//! What a text is made of, as far as a tokenizer cares.
//!
//! One pass over the text reports features (a word of seven letters, a digit, a line end …); the estimator
//! gives each its weight. The same function served for fitting the weights.

/// Something that costs a typical share of a token. Word lengths have one feature each, up to a ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Feature {
    /// Words of ASCII letters after a blank, by length: this and the next 11.
    Word1 = 0,
    /// Letters above the ceiling of 12.
    WordMore = 12,
    /// The same for words after anything else, as in code: this and the next 11.
    Inner1 = 13,
    InnerMore = 25,
    /// Letters in words of capitals only, from two on.
    Capital = 26,
    /// Latin letters outside of ASCII, but for those of the two groups below.
    Accented = 27,
    /// ASCII letters of words that have such letters.
    BesideAccented = 28,
    Digit = 29,
    BlankBeforeDigit = 30,
    /// A punctuation mark after something else.
    Mark = 31,
    /// A different mark right after a mark.
    MarkAfterMark = 32,
    /// The same mark again.
    SameMark = 33,
    MarkAfterBlank = 34,
    LineEnds = 35,
    MoreLineEnds = 36,
    /// A run of two or more blanks or tabs.
    Indent = 37,
    IndentLength = 38,
    Tab = 39,
    /// Letters inside of runs that look random: keys, hashes, base64.
    RandomLetter = 40,
    Han = 41,
    Hiragana = 42,
    Katakana = 43,
    Hangul = 44,
    WidePunctuation = 45,
    CyrillicWord = 46,
    CyrillicLetter = 47,
    ArabicWord = 48,
    ArabicLetter = 49,
    GreekWord = 50,
    GreekLetter = 51,
    HebrewLetter = 52,
    IndicLetter = 53,
    ThaiLetter = 54,
    /// Dashes, curly quotes, dots.
    Typographic = 55,
    Symbol = 56,
    Emoji = 57,
    /// Bytes of anything else.
    OtherByte = 58,
    Control = 59,
    /// Plain words shortly after an accented letter: text in another Latin language than English.
    NearAccented = 60,
    /// Their letters.
    NearAccentedLetter = 61,
    /// The same four for the accents of Romance languages, whose words are better known.
    Romance = 62,
    BesideRomance = 63,
    NearRomance = 64,
    NearRomanceLetter = 65,
    /// Syllables of Vietnamese, which are mostly one token each.
    Vietnamese = 66,
    NearVietnamese = 67,
}

/// How many features there are.
pub(super) const N_FEATURES: usize = 68;

/// How many words an accented letter colours.
const NEAR: usize = 10;

/// Word lengths with a feature of their own.
const CEILING: usize = 12;

/// Reports what `text` is made of: index of a feature, and how much of it.
pub(super) fn features(text: &str, mut add: impl FnMut(usize, f64)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut looked_to = 0;
    let mut before = Before::Start;
    let mut near = None;
    let mut n_words_near = 0usize;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_alphanumeric() && at >= looked_to {
            let run = Run::at(bytes, at);
            looked_to = run.end;
            if run.looks_random() {
                add(Feature::RandomLetter as usize, count(run.end - at - run.n_digits));
                add(Feature::Digit as usize, count(run.n_digits));
                at = run.end;
                before = Before::Letter;
                continue;
            }
        }
        (at, before) = match byte {
            b'0'..=b'9' => {
                add(Feature::Digit as usize, 1.0);
                (at + 1, Before::Letter)
            }
            b'A'..=b'Z' | b'a'..=b'z' => {
                let (end, accent) = word(text, at, before, near, &mut add);
                if accent.is_some() {
                    // Languages of the last two groups never use the letters of the first.
                    near = if n_words_near > 0 {
                        accent.max(near)
                    } else {
                        accent
                    };
                    n_words_near = NEAR;
                } else if n_words_near > 0 {
                    n_words_near -= 1;
                } else {
                    near = None;
                }
                (end, Before::Letter)
            }
            b'\n' | b'\r' => {
                let end = run_of(bytes, at, |byte| matches!(byte, b'\n' | b'\r'));
                add(Feature::LineEnds as usize, 1.0);
                add(
                    Feature::MoreLineEnds as usize,
                    if end - at > 1 { 1.0 } else { 0.0 },
                );
                (end, Before::Blank)
            }
            b' ' | b'\t' => {
                let end = run_of(bytes, at, |next| next == byte);
                blanks(bytes, at, end, &mut add);
                (end, Before::Blank)
            }
            b'!'..=b'~' => {
                let end = run_of(bytes, at, |next| next == byte);
                let mark = if before == Before::Mark {
                    Feature::MarkAfterMark
                } else {
                    Feature::Mark
                };
                add(mark as usize, 1.0);
                add(Feature::SameMark as usize, count(end - at - 1));
                add(
                    Feature::MarkAfterBlank as usize,
                    if before == Before::Blank { 1.0 } else { 0.0 },
                );
                (end, Before::Mark)
            }
            0..=0x7f => {
                add(Feature::Control as usize, 1.0);
                (at + 1, Before::Mark)
            }
            0x80.. => beyond_ascii(text, at, before, &mut add),
        };
    }
}

/// What stands before the place at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    Blank,
    Letter,
    Mark,
}

/// An unbroken run of letters, digits and the marks of base64 and ids.
struct Run {
    start: usize,
    end: usize,
    n_digits: usize,
    /// Changes between small letters, capitals and digits.
    n_changes: usize,
}

impl Run {
    fn at(bytes: &[u8], start: usize) -> Self {
        let end = run_of(bytes, start, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
        });
        let sort = |byte: u8| match byte {
            b'0'..=b'9' => 1,
            b'A'..=b'Z' => 2,
            b'a'..=b'z' => 3,
            _ => 0,
        };
        let run = &bytes[start..end];
        let n_changes = run
            .windows(2)
            .filter(|pair| sort(pair[0]) != sort(pair[1]) && sort(pair[0]) != 0 && sort(pair[1]) != 0)
            .count();
        Self {
            start,
            end,
            n_digits: run.iter().filter(|byte| byte.is_ascii_digit()).count(),
            n_changes,
        }
    }

    fn looks_random(&self) -> bool {
        let length = self.end - self.start;
        length >= 16 && self.n_digits > 0 && self.n_digits < length && self.n_changes * 4 >= length
    }
}

/// The groups of accented letters; a later one says more about the language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Accent {
    Romance,
    Other,
    Vietnamese,
}

impl Accent {
    fn of(letter: char) -> Option<Self> {
        match letter {
            'à'..='ã' | 'ç'..='ê' | 'í' | 'î' | 'ñ'..='õ' | 'ú' | 'û' => Some(Self::Romance),
            'À'..='Ã' | 'Ç'..='Ê' | 'Í' | 'Î' | 'Ñ'..='Õ' | 'Ú' | 'Û' => Some(Self::Romance),
            '\u{1ea0}'..='\u{1ef9}' | 'ơ' | 'ư' | 'đ' | 'Ơ' | 'Ư' | 'Đ' => Some(Self::Vietnamese),
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{300}'..='\u{36f}' => Some(Self::Other),
            _ => None,
        }
    }
}

/// One word: capitals, then small letters; a capital after a small letter starts the next.
fn word(
    text: &str,
    start: usize,
    before: Before,
    near: Option<Accent>,
    add: &mut impl FnMut(usize, f64),
) -> (usize, Option<Accent>) {
    let bytes = text.as_bytes();
    let mut at = run_of(bytes, start, |byte| byte.is_ascii_uppercase());
    let n_capitals = at - start;
    let mut n_accented = 0;
    let mut n_letters = n_capitals;
    let mut accent = None;
    loop {
        let small = run_of(bytes, at, |byte| byte.is_ascii_lowercase());
        n_letters += small - at;
        at = small;
        let next = text[at..].chars().next();
        match next.and_then(Accent::of) {
            Some(found) => {
                accent = accent.max(Some(found));
                n_accented += 1;
                at += next.map_or(0, char::len_utf8);
            }
            None => break,
        }
    }
    match (accent, near) {
        (None, None) => {}
        (Some(Accent::Vietnamese), _) | (Some(_), Some(Accent::Vietnamese)) => {
            add(Feature::Vietnamese as usize, 1.0);
            return (at, accent);
        }
        (None, Some(Accent::Vietnamese)) => {
            add(Feature::NearVietnamese as usize, 1.0);
            return (at, accent);
        }
        (Some(Accent::Other), _) | (Some(_), Some(Accent::Other)) => {
            add(Feature::Accented as usize, count(n_accented));
            add(Feature::BesideAccented as usize, count(n_letters));
        }
        (Some(Accent::Romance), _) => {
            add(Feature::Romance as usize, count(n_accented));
            add(Feature::BesideRomance as usize, count(n_letters));
        }
        (None, Some(Accent::Other)) => {
            add(Feature::NearAccented as usize, 1.0);
            add(Feature::NearAccentedLetter as usize, count(n_letters));
        }
        (None, Some(Accent::Romance)) => {
            add(Feature::NearRomance as usize, 1.0);
            add(Feature::NearRomanceLetter as usize, count(n_letters));
        }
    }
    if n_capitals > 1 && n_capitals == n_letters {
        add(Feature::Capital as usize, count(n_capitals));
        return (at, accent);
    }
    let (first, more) = match before {
        Before::Start | Before::Blank => (Feature::Word1, Feature::WordMore),
        Before::Letter | Before::Mark => (Feature::Inner1, Feature::InnerMore),
    };
    let length = n_letters + n_accented;
    add(first as usize + length.min(CEILING) - 1, 1.0);
    add(more as usize, count(length.saturating_sub(CEILING)));
    (at, accent)
}

fn blanks(bytes: &[u8], start: usize, end: usize, add: &mut impl FnMut(usize, f64)) {
    let before_digit = bytes.get(end).is_some_and(u8::is_ascii_digit);
    if bytes[start] == b'\t' {
        add(Feature::Tab as usize, 1.0);
    } else if end - start > 1 {
        add(Feature::Indent as usize, 1.0);
        add(Feature::IndentLength as usize, count(end - start));
    } else if before_digit {
        add(Feature::BlankBeforeDigit as usize, 1.0);
    }
}

fn beyond_ascii(text: &str, at: usize, before: Before, add: &mut impl FnMut(usize, f64)) -> (usize, Before) {
    let Some(letter) = text[at..].chars().next() else {
        return (text.len(), before);
    };
    let end = at + letter.len_utf8();
    let starts_word = before != Before::Letter;
    let mut word = |word: Feature, of_letter: Feature| {
        add(word as usize, if starts_word { 1.0 } else { 0.0 });
        add(of_letter as usize, 1.0);
        Before::Letter
    };
    let after = match letter {
        '\u{400}'..='\u{52f}' => word(Feature::CyrillicWord, Feature::CyrillicLetter),
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => word(Feature::GreekWord, Feature::GreekLetter),
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => word(Feature::ArabicWord, Feature::ArabicLetter),
        _ => {
            let (feature, amount, after) = match letter {
                letter if Accent::of(letter).is_some() => (Feature::Accented, 1, Before::Letter),
                '\u{590}'..='\u{5ff}' => (Feature::HebrewLetter, 1, Before::Letter),
                '\u{900}'..='\u{dff}' => (Feature::IndicLetter, 1, Before::Letter),
                '\u{e00}'..='\u{eff}' => (Feature::ThaiLetter, 1, Before::Letter),
                '\u{3040}'..='\u{309f}' => (Feature::Hiragana, 1, Before::Letter),
                '\u{30a0}'..='\u{30ff}' => (Feature::Katakana, 1, Before::Letter),
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => (Feature::Han, 1, Before::Letter),
                '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}' => (Feature::Hangul, 1, Before::Letter),
                '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' => {
                    (Feature::WidePunctuation, 1, Before::Mark)
                }
                '\u{2010}'..='\u{2027}' | '\u{a0}'..='\u{bf}' => (Feature::Typographic, 1, Before::Mark),
                '\u{2030}'..='\u{2bff}' => (Feature::Symbol, 1, Before::Mark),
                '\u{1f000}'..='\u{1faff}' | '\u{fe0f}' | '\u{200d}' => (Feature::Emoji, 1, Before::Mark),
                _ => (Feature::OtherByte, letter.len_utf8(), Before::Mark),
            };
            add(feature as usize, count(amount));
            after
        }
    };
    (end, after)
}

fn run_of(bytes: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    start + bytes[start..].iter().take_while(|&&byte| belongs(byte)).count()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "an estimate needs no more than 53 bits"
)]
fn count(amount: usize) -> f64 {
    amount as f64
}
