//! Which feedback contradicts a success or a PASS, and which only mentions trouble.

use gemicro_pipeline::payload::{Nonce, PayloadShape, honesty, read};
use serde_json::{Value, json};

/// Why a PASS with this feedback is refused.
fn refused(feedback: &Value) -> Option<String> {
    let nonce: Nonce = "4f1c09ab77de2350".parse().unwrap();
    let object = json!({ "verdict": "PASS", "review_path": "docs/dev_docs/r.md", "feedback": feedback });
    let reading = read(&object.to_string(), PayloadShape::Auditor, &nonce);
    honesty(&reading.payload.unwrap())
}

#[test]
fn reports_of_trouble_are_refused() {
    let texts = [
        "The server crashes on start.",
        "It panicked at src/net/ws.rs:88.",
        "Segmentation fault (core dumped)",
        "3 tests fail.",
        "211 passed, 3 failed.",
        "The build failed with a type error.",
        "One test is still red.",
        "I could not run the tests.",
        "The tests were not run.",
        "I was unable to verify the migration.",
        "It doesn't compile on Windows.",
        "Two errors remain.",
        "The crash persists.",
        "Partially fixed the crash.",
        "Fixed 2 of 3 crashes.",
        "Fixed the parser, but the server still panics.",
        "Fixed the typo, the server crashes now.",
        "No typos found. It hangs after a minute.",
        "I do not know why it crashes.",
        "Unresolved: the import of utf16 files.",
        "Conflict markers left in two files.",
        "The process was killed.",
        "make test: exit code 2",
        "I gave up on the race.",
        "Presumably it works.",
        "Problem not resolved",
        "I skipped the failing test.",
        "Merge incomplete.",
        "Compilation error in main.rs, not fixed.",
        "Not all tests pass.",
        "Not every check is green.",
        "I disabled test_login because it fails.",
        "The tests that failed before now pass, and two fail still.",
        "The tests that failed before do not pass now.",
        "Some tests that failed before now pass.",
        "I looked for crashes and found one.",
        "Ich konnte die Tests nicht ausführen.",
        "Das Programm stürzt beim Start ab.",
        "Le programme plante au démarrage.",
        "El programa falla al iniciar.",
        "Программа падает при запуске.",
        "テスト中にクラッシュします。",
        "测试失败。",
        "程序已经崩溃。",
        "해결되지 않습니다.",
        "Le programme plante sans aucun message.",
        "Das Programm stürzt ohne Meldung ab.",
        "Сбой не исправлен.",
        "De fout is niet opgelost.",
        "프로그램이 시작할 때 크래시가 납니다.",
    ];
    let missed: Vec<&str> = texts
        .into_iter()
        .filter(|text| refused(&json!(text)).is_none())
        .collect();
    assert_eq!(missed, Vec::<&str>::new());
}

#[test]
fn mentions_of_trouble_are_not() {
    let texts = [
        "",
        "No crashes.",
        "No crashes, panics or hangs.",
        "The server does not crash any more.",
        "Fixed the crash on start.",
        "The crash of the report is gone.",
        "The crash was caused by an empty list; the guard fixes it.",
        "All three conflicts are resolved.",
        "214 passed, 0 failed.",
        "Failures: none",
        "Added a crash handler.",
        "Added a test for the panic.",
        "Returns an error instead of crashing.",
        "The login timeout is 30 seconds now.",
        "Failed logins are counted.",
        "Error handling is clear; error messages are short.",
        "12 mutants were killed.",
        "The plan did not say which encoding; I assumed UTF-8.",
        "The function cannot return null now.",
        "Crashes were not observed.",
        "The tests that failed before now pass.",
        "I looked for crashes and found none.",
        "Not all files needed a change.",
        "Ich konnte alle Tests ausführen.",
        "Kein Absturz mehr.",
        "Aucun plantage.",
        "崩溃已修复。",
        "クラッシュしません。",
    ];
    let found: Vec<(&str, String)> = texts
        .into_iter()
        .filter_map(|text| refused(&json!(text)).map(|why| (text, why)))
        .collect();
    assert_eq!(found, Vec::new());
}

#[test]
fn objects_are_looked_through() {
    for feedback in [
        json!({ "crash": true }),
        json!({ "crash": "on start" }),
        json!({ "unresolved": ["merge of a.rs"] }),
        json!({ "tests": { "failed": 2 } }),
        json!({ "unresolved_conflicts": 1 }),
        json!({ "status": "failed" }),
        json!({ "tests": { "test_status": "FAILED" } }),
        json!({ "notes": ["fine", { "detail": "it segfaults" }] }),
    ] {
        assert!(refused(&feedback).is_some(), "{feedback}");
    }
    for feedback in [
        json!({}),
        json!({ "crash": false, "unresolved": [], "errors": 0, "failed": null }),
        json!({ "crash": "none", "unresolved": "" }),
        json!({ "crashes": "no crash was seen" }),
        json!({ "fixed_errors": 3, "error_handling": "clear" }),
        json!({ "nit": "rename the field" }),
        json!({ "status": "passed", "result": "ok" }),
    ] {
        assert_eq!(refused(&feedback), None, "{feedback}");
    }
}
