//! Fills in the file name patterns of the workflow.

use super::feature::Feature;

/// Replaces `[feat]` and `[N]` in a pattern like `plan_review_[feat]_v[N].md`.
pub fn document_name(pattern: &str, feature: &Feature, version: u32) -> String {
    pattern
        .replace("[feat]", &feature.underscored())
        .replace("[N]", &version.to_string())
}

#[cfg(test)]
mod tests {
    use super::document_name;
    use crate::documents::Feature;

    #[test]
    fn patterns_are_filled() {
        let feature = Feature::parse("dark-mode").unwrap();
        let cases = [
            (
                "docs/dev_docs/plans/plan_[feat].md",
                "docs/dev_docs/plans/plan_dark_mode.md",
            ),
            ("code_review_[feat]_v[N].md", "code_review_dark_mode_v12.md"),
            ("plain.md", "plain.md"),
        ];
        for (pattern, name) in cases {
            assert_eq!(document_name(pattern, &feature, 12), name);
        }
    }
}
