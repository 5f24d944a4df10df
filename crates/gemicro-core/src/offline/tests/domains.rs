//! Facts of other domains and languages than the fixtures', in other sentences.
//!
//! Written without a look at the language files; what failed at first became a general rule.

use gemicro_event::text::one_line;

use super::memory::MemoryCorpus;
use super::quoted::research;

const DOCUMENTS: &[(&str, &str)] = &[
    (
        "clinics/ash.md",
        "# Annual note on Ashgrove Clinic\n\n2035-02-01\n\nVisitors find the lift slow. Ashgrove Clinic can take in 64 patients at once. The head nurse of Ashgrove Clinic likes gardening. Doctor Lena Osk has headed the surgery of Ashgrove Clinic since May. An ambulance from Ashgrove Clinic needs 9 minutes to the motorway. Blood is stored at Ashgrove Clinic at 4 degrees. Parking at Ashgrove Clinic is free on Sundays. The kitchen of Ashgrove Clinic cooks 410 meals a day.\n\nThe generator of Ashgrove Clinic delivers 220 kilowatts. Ashgrove Clinic got its second wing in 1988. Records of Ashgrove Clinic are handed to the Record Office at Pine Court after ten years.\n",
    ),
    (
        "clinics/upper.md",
        "# Annual note on Upper Ashgrove Clinic\n\n2036-02-01\n\nUpper Ashgrove Clinic can take in 31 patients at once. Visits to Upper Ashgrove Clinic end at 19:30. The helicopter pad of Upper Ashgrove Clinic bears 6 tonnes.\n",
    ),
    (
        "de/turm.md",
        "# Der Wasserturm von Lindach\n\nDatum: 2032-05-05\n\nDer Wasserturm von Lindach ist 41 Meter hoch. Er wurde 1911 von Karl Mehring entworfen. Der Behälter fasst 300 Kubikmeter. Der Eintritt kostet 4 Euro.\n",
    ),
    (
        "ja/onsen.md",
        "# しらかば温泉のご案内\n\n2032-02-02\n\nしらかば温泉は朝六時に開きます。大人の入浴料は八百円です。露天風呂の深さは九十センチです。支配人は北川さんです。\n",
    ),
    (
        "places/pine.txt",
        "ABOUT PINE COURT\n2034-01-09\n\nPine Court is looked after by Bertil Hage. The reading room at Pine Court seats 22\nvisitors. Heating Pine Court costs 5100 francs a winter.\n",
    ),
    (
        "soft/tern.html",
        "<html><head><title>Tern 2.0 notes</title></head><body><h1>Tern 2.0 notes</h1><p>Tern 2.0 writes a checkpoint every 45 seconds. Logs of Tern 2.0 are thrown away after 14 days. A Tern 2.0 worker never takes more than 8 jobs at a time. Without a password Tern 2.0 locks an account after 5 tries.</p><p>Tern 2.0 is written in Rust and talks to port 6110. Upgrading Tern 2.0 is described elsewhere.</p></body></html>",
    ),
    (
        "soft/tern21.md",
        "# Tern 2.1\n\nCheckpoints in Tern 2.1 are reviewed each year. The default log level of Tern 2.1 is quiet. Tern 2.1 uses at most 700 megabytes of memory.\n",
    ),
    (
        "zh/qiao.txt",
        "长青桥检修记录\n\n日期:2033-04-01\n\n长青桥全长六百二十米。桥面每三年重新铺设一次。检修工作由石岭工程公司完成。夜间通行的卡车限重三十吨。\n",
    ),
    (
        "zoo/fenn-old.md",
        "# Fenn Zoo, autumn letter\n\n- date: 2031-10-03\n\nFor a ticket that lasts all day Fenn Zoo asks 15 florins. The aquarium of Fenn Zoo holds 90 thousand litres.\n",
    ),
    (
        "zoo/fenn.md",
        "# Fenn Zoo, spring letter\n\n- date: 2033-03-03\n\nThe oldest animal in Fenn Zoo is the tortoise Gudrun. The penguins of Fenn Zoo eat 38 kilograms of herring every day. A day ticket for Fenn Zoo is 18 florins. Fenn Zoo was founded by Otto Brill in 1902. On a good Sunday 4200 people pass the gates of Fenn Zoo. The lions of Fenn Zoo sleep a lot.\n",
    ),
];

/// Question, and what the quoted sentences must hold; nothing for a question without an answer.
const QUESTIONS: &[(&str, &[&str])] = &[
    (
        "How many people can be treated at Ashgrove Clinic at the same time?",
        &["64 patients"],
    ),
    ("Who is in charge of surgery at Ashgrove Clinic?", &["Lena Osk"]),
    (
        "How quickly does an ambulance from Ashgrove Clinic reach the motorway?",
        &["9 minutes"],
    ),
    (
        "At what temperature is blood kept at Ashgrove Clinic?",
        &["4 degrees"],
    ),
    (
        "How many meals does the Ashgrove Clinic kitchen prepare daily?",
        &["410"],
    ),
    (
        "What is the output of the generator at Ashgrove Clinic?",
        &["220"],
    ),
    ("When was the second wing of Ashgrove Clinic added?", &["1988"]),
    (
        "How many patients fit into Upper Ashgrove Clinic?",
        &["31 patients"],
    ),
    (
        "Until what time may people visit Upper Ashgrove Clinic?",
        &["19:30"],
    ),
    (
        "What weight can the helicopter pad of Upper Ashgrove Clinic carry?",
        &["6 tonnes"],
    ),
    ("Who is the head nurse of Ashgrove Clinic?", &[]),
    ("How many meals does Upper Ashgrove Clinic serve a day?", &[]),
    ("What is the salary of the head nurse of Ashgrove Clinic?", &[]),
    (
        "Who takes care of the place where the records of Ashgrove Clinic are kept?",
        &["Bertil Hage"],
    ),
    (
        "How many seats does the reading room of Pine Court have?",
        &["22"],
    ),
    ("What does it cost to heat Pine Court in winter?", &["5100"]),
    ("How often does Tern 2.0 save a checkpoint?", &["45 seconds"]),
    ("How long does Tern 2.0 keep its logs?", &["14 days"]),
    (
        "What is the maximum number of jobs a Tern 2.0 worker handles?",
        &["8 jobs"],
    ),
    (
        "After how many attempts is an account locked by Tern 2.0?",
        &["5 tries"],
    ),
    ("On which port does Tern 2.0 listen?", &["6110"]),
    ("How often does Tern 2.1 save a checkpoint?", &[]),
    ("How much memory does Tern 2.1 need at most?", &["700"]),
    ("Which is the oldest animal in Fenn Zoo?", &["Gudrun"]),
    ("How much fish do the penguins of Fenn Zoo get per day?", &["38"]),
    (
        "What is the price of a day ticket for Fenn Zoo?",
        &["18 florins", "15 florins"],
    ),
    ("Who established Fenn Zoo?", &["Otto Brill"]),
    ("When was Fenn Zoo founded?", &["1902"]),
    ("How many visitors come to Fenn Zoo on a good Sunday?", &["4200"]),
    ("How much water is in the aquarium of Fenn Zoo?", &["90 thousand"]),
    ("How many elephants live in Fenn Zoo?", &[]),
    ("Wie hoch ist der Wasserturm von Lindach?", &["41 Meter"]),
    ("Wer hat den Wasserturm von Lindach entworfen?", &["Karl Mehring"]),
    (
        "Was kostet der Eintritt in den Wasserturm von Lindach?",
        &["4 Euro"],
    ),
    ("Wie heißt der Wärter des Wasserturms von Lindach?", &[]),
    ("长青桥有多长?", &["六百二十米"]),
    ("谁负责长青桥的检修工作?", &["石岭"]),
    ("长青桥的桥面多久重新铺设一次?", &["三年"]),
    ("长青桥的设计师是谁?", &[]),
    ("しらかば温泉は何時に開きますか。", &["六時"]),
    ("しらかば温泉の入浴料はいくらですか。", &["八百円"]),
    ("しらかば温泉の支配人は誰ですか。", &["北川"]),
    ("しらかば温泉の駐車場は何台ですか。", &[]),
];

#[test]
fn facts_of_other_domains() {
    let corpus = MemoryCorpus::of(
        DOCUMENTS
            .iter()
            .map(|(doc, text)| ((*doc).to_owned(), (*text).to_owned())),
    );
    let mut wrong = Vec::new();
    for (question, expected) in QUESTIONS {
        let composed = research(&corpus, question);
        let spans: Vec<String> = composed
            .citations
            .iter()
            .map(|citation| one_line(&citation.span))
            .collect();
        let holds = |part: &&str| spans.iter().any(|span| span.contains(part));
        if spans.is_empty() != expected.is_empty() || !expected.iter().all(holds) {
            wrong.push(format!("{question} {spans:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
