//! Which skills are allowed, and what their file looks like.

use super::{NewSkill, SKILL_BYTES, without_front_matter};

fn skill(name: &str, description: &str, body: &str) -> NewSkill {
    NewSkill {
        name: name.to_owned(),
        description: description.to_owned(),
        body: body.to_owned(),
    }
}

#[test]
fn bad_skills_are_refused() {
    let long_name = "n".repeat(65);
    let long_description = "d".repeat(1_025);
    let megabyte = "b".repeat(1 << 20);
    let cases = [
        ("", "D", "B", "the text is not a name of a skill"),
        ("../../escape", "D", "B", "the text is not a name of a skill"),
        ("/etc/skill", "D", "B", "the text is not a name of a skill"),
        ("..", "D", "B", "the text is not a name of a skill"),
        ("Fix-Merge", "D", "B", "the text is not a name of a skill"),
        ("fix--merge", "D", "B", "the text is not a name of a skill"),
        ("-fix", "D", "B", "the text is not a name of a skill"),
        ("fix_merge", "D", "B", "the text is not a name of a skill"),
        ("fix.sh", "D", "B", "the text is not a name of a skill"),
        (&long_name, "D", "B", "the text is not a name of a skill"),
        ("fix", "", "B", "the text of the description is empty"),
        (
            "fix",
            "two\nlines",
            "B",
            "the text of the description contains line breaks",
        ),
        (
            "fix",
            "D\u{202e}",
            "B",
            "the text of the description contains line breaks",
        ),
        (
            "fix",
            &long_description,
            "B",
            "the text of the description has 1025 characters",
        ),
        ("fix", "D", " \n", "the text of the skill is empty"),
        ("fix", "D", &megabyte, "the text of the skill has 1048576 bytes"),
        (
            "fix",
            "D",
            "a\u{1b}[8mb",
            "the text of the skill contains control characters",
        ),
        (
            "fix",
            "D",
            "a\u{202e}b",
            "the text of the skill contains control characters",
        ),
        (
            "fix",
            "D",
            "a\u{200b}b",
            "the text of the skill contains control characters",
        ),
        (
            "fix",
            "D",
            "a\rb",
            "the text of the skill contains control characters",
        ),
    ];
    for (name, description, body, expected) in cases {
        let error = skill(name, description, body)
            .check()
            .expect_err(name)
            .to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    for name in ["a", "fix-merge-2", &"n".repeat(64)] {
        let body = format!("# Fix\n\n\t{}", "b".repeat(SKILL_BYTES - 8));
        skill(name, "It says \"when\" 🙂.", &body).check().expect(name);
    }
}

#[test]
fn front_matter_is_left_out() {
    for (text, body) in [
        ("---\nname: a\n---\n\n# Body\n", "\n# Body\n"),
        ("# Body\n---\nmore\n", "# Body\n---\nmore\n"),
        ("---\nnot closed\n", "---\nnot closed\n"),
    ] {
        assert_eq!(without_front_matter(text), body);
    }
}
