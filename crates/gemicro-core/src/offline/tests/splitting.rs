//! Splitting of questions, bridges and expected answers, as tables.

use crate::offline::question::Question;
use crate::offline::{AnswerType, UnitClass, decompose};

fn texts(question: &str) -> Vec<String> {
    decompose(question, 5)
        .into_iter()
        .map(|sub_question| sub_question.text)
        .collect()
}

#[test]
fn compound_questions_are_split() {
    let cases: &[(&str, &[&str])] = &[
        ("Who runs Marl Farm?", &["Who runs Marl Farm?"]),
        (
            "How does gemicro survive a crash?",
            &["How does gemicro survive a crash?"],
        ),
        (
            "Who runs Marl Farm? How many cows live at Marl Farm?",
            &["Who runs Marl Farm?", "How many cows live at Marl Farm?"],
        ),
        (
            "How deep is Lake Orm? And the same for Lake Vell?",
            &["How deep is Lake Orm?", "How deep is Lake Vell?"],
        ),
        (
            "How tall is the Oster Crag beacon? And the same for the Low Head beacon?",
            &[
                "How tall is the Oster Crag beacon?",
                "How tall is the Low Head beacon?",
            ],
        ),
        (
            "How long does the sick leave policy apply? What about the travel policy?",
            &[
                "How long does the sick leave policy apply?",
                "How long does the travel policy apply?",
            ],
        ),
        (
            "Who runs Marl Farm? And Hazel Farm?",
            &["Who runs Marl Farm?", "Who runs Hazel Farm?"],
        ),
        (
            "Who runs Marl Farm and how many cows live at Marl Farm?",
            &["Who runs Marl Farm?", "how many cows live at Marl Farm?"],
        ),
        (
            "Who runs Marl Farm and how large is it?",
            &["Who runs Marl Farm?", "how large is Marl Farm?"],
        ),
        (
            "Who runs Marl Farm? How large is it?",
            &["Who runs Marl Farm?", "How large is Marl Farm?"],
        ),
        (
            "What is the distance between Lake Orm and Lake Vell?",
            &["What is the distance between Lake Orm and Lake Vell?"],
        ),
        (
            "What did Harmon and Vale find?",
            &["What did Harmon and Vale find?"],
        ),
        (
            "Wie hoch ist der Turm von Hohenau? Und für Tiefenau?",
            &[
                "Wie hoch ist der Turm von Hohenau?",
                "Wie hoch ist der Turm von Tiefenau?",
            ],
        ),
        (
            "青山车站有多高?白河车站呢?",
            &["青山车站有多高?", "白河车站有多高?"],
        ),
        (
            "みどり図書館は何時に開きますか。だれが館長ですか。",
            &["みどり図書館は何時に開きますか。", "だれが館長ですか。"],
        ),
        ("", &[]),
        ("   ", &[]),
    ];
    for (question, expected) in cases {
        assert_eq!(texts(question), *expected, "{question}");
    }
}

#[test]
fn the_number_of_parts_is_limited() {
    let question = "Who runs Marl Farm? How large is it? When was it built? What does it grow?";
    assert_eq!(decompose(question, 2).len(), 2);
    assert_eq!(decompose(question, 0).len(), 0);
    assert!(decompose(&"Who is it? ".repeat(100_000), 5).len() <= 2);
}

#[test]
fn bridges_are_recognised() {
    let cases: &[(&str, Option<(&str, &str)>)] = &[
        (
            "At the place where the papers of Marl Farm are archived, who is the warden?",
            Some((
                "the papers of Marl Farm are archived",
                "who is the warden at {it}?",
            )),
        ),
        (
            "Who is the warden of the building that stores the papers of Marl Farm?",
            Some(("stores the papers of Marl Farm", "Who is the warden of {it}?")),
        ),
        (
            "What is the yearly rent for the house where Marl Farm keeps its tools?",
            Some(("Marl Farm keeps its tools", "What is the yearly rent for {it}?")),
        ),
        ("What is the longest key that Marlstore 4.1 accepts?", None),
        ("Where does Marl Farm keep its tools?", None),
        ("How long is the walk that starts at the farm?", None),
    ];
    for (question, expected) in cases {
        let sub_questions = decompose(question, 5);
        assert_eq!(sub_questions.len(), 1, "{question}");
        let hop = sub_questions[0]
            .hop
            .as_ref()
            .map(|hop| (hop.clause.as_str(), hop.question.as_str()));
        assert_eq!(hop, *expected, "{question}");
    }
}

#[test]
fn questions_tell_what_they_expect() {
    use UnitClass::{Count, Data, Duration, Length, Mass, Money, Percent, Speed, Temperature, Voltage};
    let quantity = |classes: &[UnitClass]| AnswerType::Quantity {
        classes: classes.to_vec(),
    };
    let cases = [
        ("Who runs Marl Farm?", AnswerType::Person),
        ("By whom was Marl Farm built?", AnswerType::Person),
        ("Where is Marl Farm?", AnswerType::Place),
        ("When was Marl Farm built?", AnswerType::Date),
        ("In which year was Marl Farm built?", AnswerType::Date),
        ("Until which day is Marl Farm closed?", AnswerType::Date),
        ("How long does it take?", quantity(&[Duration, Length])),
        ("How deep is Lake Orm?", quantity(&[Length])),
        ("At what elevation is Marl Farm?", quantity(&[Length])),
        ("How heavy is Bell Anna?", quantity(&[Mass])),
        ("How much memory does Marlstore need?", quantity(&[Data])),
        ("How many cows live at Marl Farm?", quantity(&[Count])),
        ("For how many days is hay kept?", quantity(&[Duration])),
        ("What share of the cows is brown?", quantity(&[Percent])),
        ("Which voltage feeds Marl Farm?", quantity(&[Voltage])),
        ("What is the top speed of the tractor?", quantity(&[Speed])),
        ("How warm is the barn?", quantity(&[Temperature])),
        ("How salty is Lake Orm?", quantity(&[])),
        ("What is the emergency number of Marl Farm?", quantity(&[])),
        ("Which tractor pulls the plough?", AnswerType::Value),
        ("How does the plough work?", AnswerType::Explanation),
        ("Why is the barn red?", AnswerType::Explanation),
        ("Explain the plough.", AnswerType::Explanation),
        (
            "Wie hoch liegt Hohenau?",
            quantity(&[Length, Money, Percent, Temperature]),
        ),
        ("Wer leitet das Museum?", AnswerType::Person),
        ("Wie heißt der Leiter?", AnswerType::Name),
        ("谁是站长?", AnswerType::Person),
        ("青山车站的海拔是多少?", quantity(&[Length])),
        ("いつ終わりますか。", AnswerType::Date),
        ("입장료는 얼마입니까?", quantity(&[Money])),
        ("من هو مدير الميناء؟", AnswerType::Person),
        ("متى افتتح الميناء؟", AnswerType::Date),
    ];
    for (question, expected) in cases {
        assert_eq!(Question::read(question).expected, expected, "{question}");
    }
}
