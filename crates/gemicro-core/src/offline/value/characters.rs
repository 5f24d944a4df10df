//! Numbers and dates in Chinese and Japanese text, which is written without spaces.

use super::{Value, ValueKind, push};
use crate::offline::lexicon::lexicon;
use crate::offline::text::{Word, is_cjk};
use crate::offline::unit_class::UnitClass;

/// Numbers and dates in a run of Chinese or Japanese characters.
pub(super) fn cjk_values(sentence: &str, token: &Word, found: &mut Vec<Value>) {
    let lexicon = lexicon();
    let text = &sentence[token.range.clone()];
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut at = 0;
    while at < chars.len() {
        let rest = &text[chars[at].0..];
        if let Some(day) = lexicon.cjk_days.iter().find(|day| rest.starts_with(day.as_str())) {
            let start = token.range.start + chars[at].0;
            push(
                found,
                ValueKind::Date,
                start..start + day.len(),
                day.clone(),
                None,
            );
            at += day.chars().count();
            continue;
        }
        let n_numerals = chars[at..]
            .iter()
            .take_while(|(_, c)| lexicon.is_numeral_character(*c))
            .count();
        if n_numerals == 0 {
            at += 1;
            continue;
        }
        let end = chars
            .get(at + n_numerals)
            .map_or(text.len(), |(offset, _)| *offset);
        let range = token.range.start + chars[at].0..token.range.start + end;
        let tail = &text[end..];
        let unit = lexicon
            .cjk_units
            .iter()
            .find(|(unit, _)| tail.starts_with(unit.as_str()));
        let normal = text[chars[at].0..end].to_owned();
        let is_year = tail.starts_with('年') && n_numerals >= 4;
        let is_calendar = is_year
            || tail.starts_with(['月', '时', '時', '点', '號', '号'])
                && !tail.starts_with("时间")
                && !tail.starts_with("時間");
        if is_calendar || (tail.starts_with('日') && text[..chars[at].0].ends_with('月')) {
            push(found, ValueKind::Date, range, normal, None);
        } else if let Some((unit, class)) = unit {
            push(
                found,
                ValueKind::Number(*class),
                range,
                normal,
                Some(unit.clone()),
            );
        } else if n_numerals >= 2 {
            push(
                found,
                ValueKind::Number(UnitClass::Count),
                range,
                normal,
                tail.chars().next().filter(|c| is_cjk(*c)).map(String::from),
            );
        }
        at += n_numerals;
    }
}
