//! Which signs beyond ASCII are a token of their own.
//!
//! A vocabulary of byte pairs with bytes to fall back on starts from single signs: one that it knows is one token, one
//! that it does not know is as many as it has bytes. From there on it only merges. So the sum of what the signs cost
//! alone is never below what a text costs.

/// One bit for each of the first 0x20000 code points: whether the Gemma 3 vocabulary has it as a piece. Written by the
/// test `every_sign_costs_what_the_table_says`.
const KNOWN: &[u8; 0x20000 / 8] = include_bytes!("signs.bin");

/// The most tokens that a sign beyond ASCII can cost.
pub(super) fn most_tokens(sign: char) -> u64 {
    let code = sign as usize;
    let is_known = KNOWN
        .get(code / 8)
        .is_some_and(|byte| byte & (1 << (code % 8)) != 0);
    if is_known { 1 } else { sign.len_utf8() as u64 }
}
