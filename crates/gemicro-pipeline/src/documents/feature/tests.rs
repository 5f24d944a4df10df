//! Names of tasks, from friendly and hostile texts.

use proptest::prelude::*;

use super::Feature;

const NAMED: &[(&str, &str)] = &[
    (
        "Add a simple Dark Mode toggle to the main settings page. Use a checkbox.",
        "dark-mode-toggle",
    ),
    ("Fix crash when saving", "crash-saving"),
    (
        "Fix the crash when saving large files on Windows",
        "crash-saving-large-files",
    ),
    ("please implement OAuth2 login with GitHub", "oauth2-login"),
    ("We need to support CSV export", "csv-export"),
    (
        "I want you to add retries to the HTTP client!",
        "retries-http-client",
    ),
    ("Don't lose the user's input", "lose-users-input"),
    ("Bug: the parser hangs on empty input", "parser-hangs"),
    ("# Add **bold** headings\n\nmore text", "bold-headings"),
    ("src/main.rs panics", "src-main-rs-panics"),
    ("Version 1.2 breaks", "version-1-2-breaks"),
    ("Füge Dunkelmodus hinzu", "fuege-dunkelmodus-hinzu"),
    (
        "Größenänderung für Übersicht",
        "groessenaenderung-fuer-uebersicht",
    ),
    ("Fu\u{308}ge Straße ein", "fuege-strasse-ein"),
    ("Café crème naïve", "cafe-creme-naive"),
    ("Łódź, Ærø, Şişli, Việt", "lodz-aero-sisli-viet"),
    ("Ελληνικά menu", "menu"),
    ("Меню", "task-122f7176"),
    ("Remove", "task-c3812fc4"),
    ("", "task-e3b0c442"),
    ("to be or not", "not"),
    ("Add it. Then a login page.", "login-page"),
    ("nul", "task-99e62427"),
    ("$(rm -rf ~); `reboot` && ../../etc/passwd", "rm-rf"),
    ("--force\0\n/../.git/HEAD", "force"),
    (
        "internationalisation configuration documentation everything",
        "internationalisation-configuration",
    ),
];

#[test]
fn tasks_have_their_names() {
    for (task, name) in NAMED {
        assert_eq!(Feature::from_task(task).hyphenated(), *name, "{task}");
    }
    assert_eq!(Feature::from_task(NAMED[0].0).underscored(), "dark_mode_toggle");
}

#[test]
fn texts_without_words_are_distinguished() {
    let texts = [
        "🎉🎉",
        "🎉",
        "مرحبا بالعالم",
        "\u{202e}",
        "暗いモード",
        "...",
        "   ",
    ];
    let mut names: Vec<_> = texts.iter().map(|text| Feature::from_task(text)).collect();
    assert!(
        names
            .iter()
            .all(|name| name.hyphenated().starts_with("task-") && name.hyphenated().len() == 13)
    );
    names.sort();
    names.dedup();
    assert_eq!(names.len(), texts.len());
}

#[test]
fn long_texts_are_bounded() {
    let word = Feature::from_task(&"x".repeat(100_000));
    assert_eq!(word.hyphenated(), "x".repeat(40));
    let many = Feature::from_task(&"word ".repeat(20_000));
    assert_eq!(many.hyphenated(), "word-word-word-word-word-word-word-word");
    let umlauts = Feature::from_task(&"ü".repeat(100_000));
    assert_eq!(umlauts.hyphenated(), "ue".repeat(20));
}

#[test]
fn only_safe_names_are_taken() {
    for text in ["dark-mode", "x", "1", "task-8c8eda5d"] {
        assert_eq!(Feature::parse(text).map(String::from).as_deref(), Ok(text));
    }
    let long = "x".repeat(41);
    for text in [
        "",
        "-",
        "a-",
        "-a",
        "a--b",
        "A",
        "a b",
        "a/b",
        "a.lock",
        "ü",
        "con",
        "com1",
        "a_b",
        long.as_str(),
    ] {
        assert!(Feature::parse(text).is_err(), "{text}");
    }
    assert_eq!(
        serde_json::to_string(&Feature::from_task("dark mode")).unwrap(),
        "\"dark-mode\""
    );
    assert!(serde_json::from_str::<Feature>("\"../x\"").is_err());
}

proptest! {
    #[test]
    fn every_text_has_a_safe_name(text in any::<String>()) {
        let name = Feature::from_task(&text);
        prop_assert_eq!(Feature::parse(name.hyphenated()), Ok(name.clone()));
        prop_assert_eq!(name.underscored().len(), name.hyphenated().len());
    }

    #[test]
    fn every_line_of_words_has_a_safe_name(text in "([a-zA-Z0-9]{1,50}|[ .:;!?'\\-\n]|com|nul|the|to){0,40}") {
        let name = Feature::from_task(&text);
        prop_assert_eq!(Feature::parse(name.hyphenated()), Ok(name));
    }
}
