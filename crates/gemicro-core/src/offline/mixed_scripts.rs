//! Words that mix scripts as no language does: [`mixes_scripts`].
//!
//! A Cyrillic letter in a Latin word looks the same to a reader and differs for a search, which has no honest use.
//! Symbols from the Greek alphabet do (`μm`, `kΩ`, `TGFβ1`), and so do Latin words in Chinese text, which has no
//! spaces.

/// Greek capitals that look like Latin ones.
const GREEK_CAPITALS: &str = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
/// Greek small letters that look like Latin ones. They are symbols as well, so they count only inside longer words.
const GREEK_SMALL: &str = "αγεηικνορτυχω";
/// Latin letters of a word in which such a letter is no symbol.
const WORD_LETTERS: usize = 3;
/// Letters or digits of a style, such as `𝐟𝐞𝐞`, that make a word. Fewer are a formula.
const STYLED_WORD: usize = 3;

/// The alphabets that have look-alikes in each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Latin,
    /// Latin letters in the width of Chinese characters.
    Fullwidth,
    Greek,
    Cyrillic,
    /// Armenian, Georgian, Cherokee, Coptic, Lisu and others that have some of the same shapes.
    Other,
}

/// Whether a word mixes alphabets, a number mixes digits of several scripts, or a word is made of styled letters.
pub(crate) fn mixes_scripts(text: &str) -> bool {
    !text.is_ascii() && (has_mixed_word(text) || has_mixed_number(text) || has_styled_word(text))
}

fn has_mixed_word(text: &str) -> bool {
    text.split(|c| alphabet(c).is_none() && !is_mark(c)).any(|word| {
        let has = |wanted: Alphabet| word.chars().any(|c| alphabet(c) == Some(wanted));
        let all = [
            Alphabet::Latin,
            Alphabet::Fullwidth,
            Alphabet::Greek,
            Alphabet::Cyrillic,
            Alphabet::Other,
        ];
        match all
            .into_iter()
            .filter(|it| has(*it))
            .collect::<Vec<_>>()
            .as_slice()
        {
            [] | [_] => false,
            [Alphabet::Latin, Alphabet::Greek] => has_posing_greek(word),
            _ => true,
        }
    })
}

/// Whether a Greek letter poses as a Latin one in a word of both.
fn has_posing_greek(word: &str) -> bool {
    if word.contains(|c| GREEK_CAPITALS.contains(c)) {
        return true;
    }
    let n_latin = word
        .chars()
        .filter(|c| alphabet(*c) == Some(Alphabet::Latin))
        .count();
    let letters: Vec<char> = word.chars().collect();
    let is_small_latin =
        |at: Option<&char>| at.is_some_and(|c| c.is_lowercase() && alphabet(*c) == Some(Alphabet::Latin));
    n_latin >= WORD_LETTERS
        && letters.iter().enumerate().any(|(at, c)| {
            let beside = is_small_latin(letters.get(at + 1)) || at > 0 && is_small_latin(letters.get(at - 1));
            GREEK_SMALL.contains(*c) && beside
        })
}

fn has_mixed_number(text: &str) -> bool {
    text.split(|c| digit_system(c).is_none()).any(|number| {
        let mut systems = number.chars().filter_map(digit_system);
        let first = systems.next();
        systems.any(|system| Some(system) != first)
    })
}

fn has_styled_word(text: &str) -> bool {
    text.split(|c| !is_styled(c))
        .any(|word| word.chars().take(STYLED_WORD).count() == STYLED_WORD)
}

fn alphabet(c: char) -> Option<Alphabet> {
    match c {
        'a'..='z' | 'A'..='Z' => Some(Alphabet::Latin),
        '\u{d7}' | '\u{f7}' => None,
        '\u{c0}'..='\u{2af}'
        | '\u{1e00}'..='\u{1eff}'
        | '\u{2c60}'..='\u{2c7f}'
        | '\u{a722}'..='\u{a7ff}' => Some(Alphabet::Latin),
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => Some(Alphabet::Fullwidth),
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' if c.is_alphabetic() => Some(Alphabet::Greek),
        '\u{400}'..='\u{481}'
        | '\u{48a}'..='\u{52f}'
        | '\u{1c80}'..='\u{1c8f}'
        | '\u{a640}'..='\u{a66e}'
        | '\u{a680}'..='\u{a69d}' => Some(Alphabet::Cyrillic),
        '\u{531}'..='\u{587}'
        | '\u{10a0}'..='\u{10ff}'
        | '\u{13a0}'..='\u{13fd}'
        | '\u{1c90}'..='\u{1cbf}'
        | '\u{2c00}'..='\u{2c5f}'
        | '\u{2c80}'..='\u{2ce4}'
        | '\u{2d00}'..='\u{2d2d}'
        | '\u{a4d0}'..='\u{a4f7}'
        | '\u{ab70}'..='\u{abbf}'
        | '\u{10400}'..='\u{1044f}' => Some(Alphabet::Other),
        _ => None,
    }
}

/// Accents that are characters of their own.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// The first digit of the script that a digit belongs to.
fn digit_system(c: char) -> Option<u32> {
    let start = match c {
        '0'..='9' => '0',
        '\u{660}'..='\u{669}' => '\u{660}',
        '\u{6f0}'..='\u{6f9}' => '\u{6f0}',
        '\u{966}'..='\u{96f}' => '\u{966}',
        '\u{9e6}'..='\u{9ef}' => '\u{9e6}',
        '\u{e50}'..='\u{e59}' => '\u{e50}',
        '\u{ff10}'..='\u{ff19}' => '\u{ff10}',
        '\u{1d7ce}'..='\u{1d7ff}' => '\u{1d7ce}',
        _ => return None,
    };
    Some(u32::from(start))
}

/// Letters and digits of mathematics, in circles, in squares and as small capitals.
fn is_styled(c: char) -> bool {
    matches!(c,
        '\u{1d400}'..='\u{1d7ff}' | '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f149}' | '\u{1f150}'..='\u{1f169}'
        | '\u{1f170}'..='\u{1f189}' | '\u{1d00}'..='\u{1d2b}' | '\u{249c}'..='\u{24b5}')
}
