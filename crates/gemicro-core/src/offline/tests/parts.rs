//! The small parts: sentences, names, values and likeness of words, as tables.

use crate::corpus::BlockKind;
use crate::offline::sentence::sentences;
use crate::offline::subject::{Place, Subject, SubjectForm};
use crate::offline::table::cells;
use crate::offline::text::likeness;
use crate::offline::unit_class::UnitClass;
use crate::offline::value::{ValueKind, values};

fn cut(text: &str, kind: BlockKind) -> Vec<&str> {
    sentences(text, kind)
        .into_iter()
        .map(|range| &text[range])
        .collect()
}

#[test]
fn sentences_keep_their_bytes() {
    let cases: &[(&str, &[&str])] = &[
        ("One. Two.", &["One.", "Two."]),
        (
            "Dr. Ada Lund came at 9.30 a.m. and left.",
            &["Dr. Ada Lund came at 9.30 a.m. and left."],
        ),
        (
            "Version 4.1 is out. It is big.",
            &["Version 4.1 is out.", "It is big."],
        ),
        ("See e.g. the barn. Then go.", &["See e.g. the barn.", "Then go."]),
        (
            "A line that\nwraps here. Next\none.",
            &["A line that\nwraps here.", "Next\none."],
        ),
        (
            "A **bold** word. *All of it.* End.",
            &["A **bold** word.", "*All of it.*", "End."],
        ),
        (
            "Am 3. Mai öffnet das Haus. Danach nicht.",
            &["Am 3. Mai öffnet das Haus.", "Danach nicht."],
        ),
        ("高八米。很重。", &["高八米。", "很重。"]),
        (
            "「開く。」と言う。次です。",
            &["「開く。」", "と言う。", "次です。"],
        ),
        (
            "J. Marl built it. He said \"Go.\" Then he went.",
            &["J. Marl built it.", "He said \"Go.\"", "Then he went."],
        ),
        ("Is it? Yes! Good.", &["Is it?", "Yes!", "Good."]),
        ("First part\n\nSecond part", &["First part", "Second part"]),
        ("كم؟ ثلاثة.", &["كم؟", "ثلاثة."]),
        ("", &[]),
        (" \n ", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(cut(text, BlockKind::Paragraph), *expected, "{text:?}");
    }
    assert_eq!(
        cut("/// The limit is 40 bytes.\n/// It is fixed.", BlockKind::Comment),
        ["The limit is 40 bytes.", "It is fixed."]
    );
    assert_eq!(cut("- Fee: 4 crowns", BlockKind::ListItem), ["Fee: 4 crowns"]);
}

#[test]
fn names_match_exactly() {
    use SubjectForm::{Characters, Name, Noun, Phrase};
    let cases = [
        ("MV Brent Star", Name, "MV Brent Star sails.", true),
        ("MV Brent Star", Name, "MV Brent Stars sails.", false),
        ("MV Brent Star", Name, "We saw the mv brent star.", true),
        ("Cobb service", Name, "The Cobb Lite service is up.", false),
        ("Cobb service", Name, "The Cobb service is up.", true),
        ("Farrow Col hut", Name, "At Farrow Col hut it snows.", true),
        ("Farrow Col hut", Name, "We like Upper Farrow Col hut.", false),
        (
            "Farrow Col hut",
            Name,
            "Repainting Farrow Col hut took a day.",
            true,
        ),
        ("Marlstore 4.1", Name, "Marlstore 4.2 is out.", false),
        ("Marlstore 4.1", Name, "Marlstore 4.1 is out.", true),
        ("Marlstore", Name, "Marlstore 4.2 is out.", false),
        ("Otter Bridge", Name, "Otter Bridge's rail is red.", true),
        ("Otter Bridge", Name, "Captain Otter Bridge", true),
        ("travel policy", Phrase, "The travel policy caps it.", true),
        (
            "travel policy",
            Phrase,
            "The remote travel policy caps it.",
            false,
        ),
        ("crate 77", Phrase, "The unclaimed crate 77 was full.", true),
        ("crate 77", Phrase, "The unclaimed crate 770 was full.", false),
        ("Tannau", Noun, "Die Bergbahn Tannau fährt.", true),
        ("Tannau", Noun, "Die Bahn nach Ober-Tannau fährt.", false),
        ("青山车站", Characters, "青山车站很大。", true),
        ("みどり館", Characters, "新みどり館です。", true),
    ];
    for (name, form, text, expected) in cases {
        let found = !Subject::new(name, form)
            .occurrences(text, Place::Sentence)
            .is_empty();
        assert_eq!(found, expected, "{name} in {text}");
    }
}

#[test]
fn values_have_units_and_places() {
    use UnitClass::{
        Area, Charge, Count, Data, Duration, Length, Mass, Money, Percent, Speed, Temperature, Volume,
    };
    let number = ValueKind::Number;
    let cases: &[(&str, &[(ValueKind, &str)])] = &[
        ("It takes 37 minutes.", &[(number(Duration), "37")]),
        (
            "It asks for 12 working days of notice.",
            &[(number(Duration), "12")],
        ),
        ("It costs 860 thousand crowns.", &[(number(Money), "860")]),
        (
            "It costs $30 or 25 €.",
            &[(number(Money), "30"), (number(Money), "25")],
        ),
        ("Gusts of 170 kilometres per hour.", &[(number(Speed), "170")]),
        ("The bank holds 824 ampere hours.", &[(number(Charge), "824")]),
        ("It covers 40 square metres.", &[(number(Area), "40")]),
        ("It holds 12 cubic metres.", &[(number(Volume), "12")]),
        ("It is kept at minus 27 degrees.", &[(number(Temperature), "27")]),
        ("There are 14 attempts.", &[(number(Count), "14")]),
        (
            "Of these 31 percent fail, not 20%.",
            &[(number(Percent), "31"), (number(Percent), "20")],
        ),
        ("It needs 4GB of memory.", &[(number(Data), "4GB")]),
        ("It weighs forty-two tonnes.", &[(number(Mass), "forty-two")]),
        ("Call 071 413 77 now.", &[(number(Count), "071 413 77")]),
        ("It ends on 26 June 2031.", &[(ValueKind::Date, "26 June 2031")]),
        ("It opened in 1939.", &[(ValueKind::Date, "1939")]),
        ("The silos hold 1890 tonnes.", &[(number(Mass), "1890")]),
        (
            "Use gate C14 and lot DD-174.",
            &[(ValueKind::Code, "C14"), (ValueKind::Code, "DD-174")],
        ),
        (
            "Since May it is run by Ada Lund.",
            &[(ValueKind::Date, "May"), (ValueKind::Name, "Ada Lund")],
        ),
        (
            "Under Captain Ada Lund it sails.",
            &[(ValueKind::Name, "Ada Lund")],
        ),
        ("It is closed on Fridays.", &[(ValueKind::Date, "Fridays")]),
        ("Es misst 5,60 Meter.", &[(number(Length), "5,60")]),
        ("容积为八千四百立方米。", &[(number(Volume), "八千四百")]),
        (
            "九月十八日に終わる。",
            &[(ValueKind::Date, "九"), (ValueKind::Date, "十八")],
        ),
        ("해발 칠백삼십이 미터입니다.", &[(number(Length), "칠백삼십이")]),
        ("يتسع لثلاثة وسبعين قاربا.", &[(number(Count), "لثلاثة وسبعين")]),
    ];
    for (sentence, expected) in cases {
        let found: Vec<(ValueKind, &str)> = values(sentence, &[])
            .into_iter()
            .map(|value| (value.kind, &sentence[value.range]))
            .collect();
        assert_eq!(found, *expected, "{sentence}");
    }
    assert!(values("It is 5 (figure of 3 May 2030).", &[])[1].aside);
    let skip = std::iter::once(0..13).collect::<Vec<_>>();
    assert!(values("Marlstore 4.1 is out.", &skip).is_empty());
}

#[test]
fn forms_of_a_word_are_alike() {
    for (left, right, expected) in [
        ("audited", "audit", true),
        ("auditors", "audit", true),
        ("keys", "key", true),
        ("studies", "study", true),
        ("oldest", "older", true),
        ("rarest", "rare", true),
        ("hardness", "hard", true),
        ("running", "run", true),
        ("station", "state", false),
        ("port", "report", false),
        ("forest", "forer", false),
        ("4.1", "4.2", false),
        ("전망대의", "전망대", true),
        ("الميناء", "ميناء", true),
    ] {
        assert_eq!(likeness(left, right) > 0.0, expected, "{left} {right}");
    }
}

#[test]
fn cells_of_rows() {
    let row = "| Otter Bridge | 18 m | 1931 |";
    assert_eq!(
        cells("a.md", row)
            .into_iter()
            .map(|cell| &row[cell])
            .collect::<Vec<_>>(),
        ["Otter Bridge", "18 m", "1931"]
    );
    assert_eq!(cells("a.tsv", "a\tb").len(), 2);
    assert_eq!(cells("a.md", "|").len(), 1);
}
