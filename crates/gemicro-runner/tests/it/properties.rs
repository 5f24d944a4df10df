//! Any bytes in any pieces: no panic, the same items, unknown lines kept, memory bounded.

use gemicro_runner::{
    AgentCli, AgentItem, AgentPrompt, ClaudeCode, Codex, Dialogue, GeminiAcp, GeminiHeadless,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::captures;
use crate::requests::{items, request};

fn clis() -> [Box<dyn AgentCli>; 4] {
    [
        Box::new(GeminiHeadless),
        Box::new(GeminiAcp),
        Box::new(ClaudeCode),
        Box::new(Codex),
    ]
}

fn dialogue(cli: &dyn AgentCli) -> Dialogue {
    cli.dialogue(&request(AgentPrompt::user("hi"))).unwrap()
}

/// All items and everything written.
fn play(mut dialogue: Dialogue, pieces: &[&[u8]]) -> (Vec<AgentItem>, Vec<u8>) {
    let mut items = Vec::new();
    let mut input = Vec::new();
    for piece in pieces {
        items.extend(dialogue.feed(piece));
        input.extend(dialogue.take_input());
    }
    items.extend(dialogue.finish());
    input.extend(dialogue.take_input());
    (items, input)
}

/// The bytes cut at these places.
fn cut<'a>(bytes: &'a [u8], at: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = at.iter().map(|index| index.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Lines as they were recorded, of every CLI, those inside conversations included.
fn recorded_lines() -> Vec<String> {
    let streams = captures::streams();
    let conversations = captures::conversations();
    let inner = conversations
        .iter()
        .flat_map(|text| text.lines())
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["msg"].to_string());
    let lines = streams.iter().flat_map(|text| text.lines()).map(str::to_owned);
    lines.chain(inner).filter(|line| line.len() < 2_000).collect()
}

/// Recorded lines, each possibly damaged by one byte, and noise between them.
fn damaged_stream() -> impl Strategy<Value = Vec<u8>> {
    let line = (select(recorded_lines()), any::<Option<(Index, u8)>>()).prop_map(|(line, damage)| {
        let mut bytes = line.into_bytes();
        if let Some((index, byte)) = damage
            && !bytes.is_empty()
        {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    });
    let noise = proptest::collection::vec(any::<u8>(), 0..60);
    proptest::collection::vec(prop_oneof![4 => line, 1 => noise], 0..12).prop_map(|lines| lines.join(&b'\n'))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn pieces_do_not_matter(stream in damaged_stream(), at: Vec<Index>) {
        for cli in clis() {
            let whole = play(dialogue(cli.as_ref()), &[&stream]);
            let pieces = play(dialogue(cli.as_ref()), &cut(&stream, &at));
            prop_assert_eq!(whole, pieces);
        }
    }

    #[test]
    fn pieces_do_not_matter_for_long_lines(stream in damaged_stream(), at: Vec<Index>, max_line in 0_usize..300) {
        for cli in clis() {
            let whole = play(dialogue(cli.as_ref()).with_max_line(max_line), &[&stream]);
            let pieces = play(dialogue(cli.as_ref()).with_max_line(max_line), &cut(&stream, &at));
            prop_assert_eq!(&whole, &pieces);
            for item in &whole.0 {
                if let AgentItem::Raw { line } = item {
                    prop_assert!(line.bytes().len() <= max_line);
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_judged(stream: Vec<u8>) {
        for cli in clis() {
            let items = items(cli.as_ref(), &stream);
            let transcript = gemicro_runner::TurnTranscript::of(&items);
            let judged = cli.judge(&crate::requests::ended(gemicro_runner::ProcessExit::Code(0), &transcript));
            prop_assert!(judged.is_err());
        }
    }

    #[test]
    fn unknown_types_are_kept_and_reported_once(kind in "x_[a-z]{1,20}", numbers in proptest::collection::vec("-?[1-9][0-9]{0,30}\\.[0-9]{1,5}e5", 1..5)) {
        // Number spelling, blanks and unknown fields must survive.
        let lines: Vec<String> = numbers
            .iter()
            .map(|number| {
                format!("{{ \"z\": {number},\t\"type\":\"{kind}\" , \"method\" : \"{kind}\", \"a\": \"\\u00e9\" }}\r")
            })
            .collect();
        for cli in clis() {
            let items = items(cli.as_ref(), lines.join("\n").as_bytes());
            let raw: Vec<&[u8]> = items
                .iter()
                .filter_map(|item| match item {
                    AgentItem::Raw { line } => Some(line.bytes()),
                    _ => None,
                })
                .collect();
            let expected: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            prop_assert_eq!(raw, expected);
            let alarms = items.iter().filter(|item| matches!(item, AgentItem::Alarm { .. })).count();
            prop_assert_eq!((alarms, items.len()), (1, lines.len() + 1));
        }
    }
}

#[test]
fn invalid_utf8_is_replaced_and_reported_once() {
    let stream = b"{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"a\xffb\"}\n\xff\xfe\n";
    let items = items(&GeminiHeadless, stream);
    let kinds: Vec<&str> = items
        .iter()
        .filter_map(|item| match item {
            AgentItem::Alarm { kind, .. } => Some(kind.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, ["invalid_utf8", "not_json"]);
    assert_eq!(
        items[1],
        AgentItem::Text {
            text: "a\u{fffd}b".to_owned()
        }
    );
    let AgentItem::Raw { line } = &items[3] else {
        panic!("{items:?}");
    };
    assert_eq!(line.bytes(), b"\xff\xfe");
}

#[test]
fn a_line_without_end_costs_no_memory() {
    let mut dialogue = dialogue(&Codex).with_max_line(1_000);
    let piece = vec![b'y'; 1 << 20];
    for _ in 0..500 {
        assert!(dialogue.feed(&piece).is_empty());
    }
    let items = dialogue.feed(b"\n{\"type\":\"turn.completed\"}\n");
    assert!(
        matches!(&items[..], [AgentItem::Alarm { .. }, AgentItem::Ended(_)]),
        "{items:?}"
    );
}

#[test]
fn alarms_come_to_an_end() {
    let stream: String = (0..10_000).map(|n| format!("{{\"type\":\"x{n}\"}}\n")).collect();
    let items = items(&Codex, stream.as_bytes());
    let alarms = items
        .iter()
        .filter(|item| matches!(item, AgentItem::Alarm { .. }))
        .count();
    assert_eq!(alarms, 65);
    // And so do lines that nobody understands: the spool has them.
    assert_eq!(items.len(), 1_065);
}
