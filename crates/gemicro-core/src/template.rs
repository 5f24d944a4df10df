//! Prompt templates: plain text with `{{name}}` placeholders.

/// Replaces the placeholders of a template in one pass: values are never parsed as templates.
#[must_use]
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once("}}") else {
            filled.push_str("{{");
            rest = after;
            continue;
        };
        match values.iter().find(|(known, _)| *known == name.trim()) {
            Some((_, value)) => filled.push_str(value),
            None => {
                filled.push_str("{{");
                filled.push_str(name);
                filled.push_str("}}");
            }
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}
