//! Characters beyond ASCII that are a single token.
//!
//! A byte-pair vocabulary with byte fallback starts from single characters: a known character is one token, an unknown
//! one as many as it has bytes. After that it only merges tokens. So the sum over the characters alone is never below
//! the cost of a text.

/// One bit for each of the first 0x20000 code points: whether the Gemma 3 vocabulary has it as a token. Written by the
/// test `every_sign_costs_what_the_table_says`.
const KNOWN: &[u8; 0x20000 / 8] = include_bytes!("signs.bin");

/// Maximum number of tokens of a character beyond ASCII.
pub(super) fn most_tokens(sign: char) -> u64 {
    let code = sign as usize;
    let is_known = KNOWN
        .get(code / 8)
        .is_some_and(|byte| byte & (1 << (code % 8)) != 0);
    if is_known { 1 } else { sign.len_utf8() as u64 }
}
