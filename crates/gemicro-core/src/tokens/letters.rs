//! Pairs of letters that are common, to tell real words from random letters.

/// Whether this pair of letters is common in English words and names in code.
pub(super) fn is_common(first: u8, second: u8) -> bool {
    let row = usize::from(first.to_ascii_lowercase() - b'a');
    LATIN[row] & (1 << (second.to_ascii_lowercase() - b'a')) != 0
}

/// Whether this pair of Cyrillic letters is common; the first may be a capital.
pub(super) fn is_common_cyrillic(first: char, second: char) -> bool {
    let small = match first {
        'А'..='Я' => first as usize + 0x20,
        'Ѐ'..='Џ' => first as usize + 0x50,
        _ => first as usize,
    };
    let row = small.checked_sub('а' as usize);
    row.and_then(|row| CYRILLIC_FOLLOWERS.get(row))
        .is_some_and(|followers| followers.contains(second))
}

const LATIN: [u32; 26] = latin();

const fn latin() -> [u32; 26] {
    let mut table = [0; 26];
    let mut row = 0;
    while row < 26 {
        let followers = LATIN_FOLLOWERS[row].as_bytes();
        let mut idx = 0;
        while idx < followers.len() {
            table[row] |= 1 << (followers[idx] - b'a');
            idx += 1;
        }
        row += 1;
    }
    table
}

/// From `a`: pairs above 0.12 % in gemicro's sources and documents.
const LATIN_FOLLOWERS: [&str; 26] = [
    "bcdgilmnprstuy",
    "aeiloru",
    "aehiklortu",
    "aeiors",
    "acdeflmnprstvwx",
    "aefio",
    "aehior",
    "aeiot",
    "abcdefglmnoprstv",
    "",
    "eis",
    "adeilosty",
    "aeimop",
    "acdeginostu",
    "cdgklmnoprstuvw",
    "aeiloprstu",
    "u",
    "acdegikmnorstuvy",
    "acehikopstu",
    "acehiorstuy",
    "elmnprst",
    "aei",
    "aehinor",
    "t",
    "",
    "",
];

/// From `а` to `і`: the 370 most frequent pairs in the Cyrillic tokens of the Gemma 3 vocabulary; 95 % of the pairs of
/// a Russian text, 91 % of a Ukrainian one.
const CYRILLIC_FOLLOWERS: [&str; 39] = [
    "бвгдежзийклмнпрстуфхцчшюя",
    "аеилорущъыяі",
    "аеиклнорстуыяі",
    "адеилоруі",
    "авеилнорсуыі",
    "абвгдежзйклмнопрстхцчш",
    "адеиноу",
    "авдеимноруыя",
    "абвгдезийклмнопрстхцчшюя",
    "нст",
    "авеилморстуі",
    "аеиклноуыьюяі",
    "аеимнопуыяі",
    "агдеикностуцыьяі",
    "бвгдежзийклмнопрстфхцчшщюяї",
    "аеилоруыі",
    "авгдежикмностухыьяі",
    "авеиклмнопрстуыьяі",
    "авеикнорсуыьяі",
    "абвгдежзклмнпрстчщю",
    "аеиоу",
    "аиоруі",
    "аеиьі",
    "аеикнту",
    "аеиклот",
    "аеио",
    "",
    "вейлмнстх",
    "зкнстшю",
    "клт",
    "бтщ",
    "вдезкмнт",
    "",
    "",
    "",
    "",
    "",
    "",
    "вдйлнсї",
];
