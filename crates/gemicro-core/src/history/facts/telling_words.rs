//! The words by which rules, decisions and finished items are recognised, all in lower case. The lists are short on
//! purpose: they only decide what is at the top of a prompt.

pub(super) const DECISION_OPENINGS: &[&str] = &[
    "decision:",
    "decided:",
    "decided to",
    "we decided",
    "we have decided",
    "we've decided",
    "agreed,",
    "agreed:",
    "we agreed",
    "settled:",
    "resolved:",
    "we chose",
    "we settled on",
    "let's go with",
    "we'll go with",
    "we will use",
    "决定",
    "商定",
    "约定",
    "敲定",
    "选定",
    "结论",
];

/// Openings of finished items.
pub(super) const DONE_OPENINGS: &[&str] = &[
    "done:",
    "finished item",
    "finished:",
    "completed:",
    "fixed:",
    "merged:",
    "shipped:",
    "[x]",
    "✅",
    "✔",
    "✓",
    "i have completed",
    "i've completed",
    "i have finished",
    "i've finished",
    "已完成",
    "完成了",
    "搞定",
    "已解决",
];

/// Phrases that make any sentence a finished item.
pub(super) const DONE_ENDINGS: &[&str] = &[
    "is finished",
    "are finished",
    "is done",
    "are done",
    "is complete",
    "is merged",
    "are merged",
    "has been merged",
    "has landed",
    "已经完成",
    "已合并",
];

/// Words that mark a rule.
pub(super) const RULE_WORDS: &[&str] = &[
    "must",
    "mustn't",
    "never",
    "always",
    "shall",
    "forbidden",
    "mandatory",
    "not allowed",
    "may not",
    "no exceptions",
    "under no circumstances",
    "from now on",
    "off limits",
    "ask me before",
];

/// The same in Chinese, which has no spaces between words.
pub(super) const CHINESE_RULE_WORDS: &[&str] = &[
    "必须", "务必", "绝不", "不要", "不得", "不许", "不准", "禁止", "始终", "一律", "请勿", "切勿",
];

/// Subjects after which "do not" is not a rule: "I do not see it".
pub(super) const SUBJECTS: &[&str] = &[
    "i", "we", "they", "it", "you", "people", "clients", "users", "who", "that", "which",
];
