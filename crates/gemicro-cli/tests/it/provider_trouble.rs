//! What can be wrong with a key, a model, an address or an answer: what happened, where, what next, and the
//! right exit code. The key is seen nowhere.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::golden;
use crate::program::Called;
use crate::simulated::{KEY, Simulated, research};

/// One kind of trouble.
struct Case {
    name: &'static str,
    /// Rules of the scenario, before those of an ordinary run.
    rules: &'static str,
    more: &'static [&'static str],
    code: i32,
}

const fn case(name: &'static str, code: i32, rules: &'static str) -> Case {
    Case {
        name,
        rules,
        more: &[],
        code,
    }
}

const CASES: &[Case] = &[
    case(
        "HTTP 400",
        4,
        "  - fault: { http: { status: 400, message: 'Bad field.' } }\n",
    ),
    case("HTTP 401", 3, "  - fault: { http: { status: 401 } }\n"),
    case("HTTP 403", 3, "  - fault: { http: { status: 403 } }\n"),
    case(
        "HTTP 404",
        4,
        "  - fault: { http: { status: 404, message: 'Nothing here.' } }\n",
    ),
    case("HTTP 503 for good", 4, "  - fault: { http: { status: 503 } }\n"),
    case(
        "HTTP 503 that passes",
        0,
        "  - { times: 2, fault: { http: { status: 503 } } }\n",
    ),
    case(
        "too many requests, no end stated",
        4,
        "  - fault: { rate_limit: { announce: nowhere } }\n",
    ),
    case(
        "daily quota, no end stated",
        4,
        "  - fault: { daily_quota: {} }\n",
    ),
    case("error page", 4, "  - fault: { html: { status: 502 } }\n"),
    Case {
        more: &["--idle-timeout", "1"],
        ..case(
            "hung stream",
            4,
            "  - { reply: { text: never }, fault: { hang: { after_chunks: 1 } } }\n",
        )
    },
    case("garbage", 4, "  - fault: garbage\n"),
    case("empty answer", 4, "  - fault: empty\n"),
    case("prompt blocked", 4, "  - fault: { safety: { stage: prompt } }\n"),
    case(
        "answer blocked",
        4,
        "  - fault: { safety: { stage: answer, reason: RECITATION } }\n",
    ),
    case(
        "answer over the limit",
        4,
        "  - fault: { max_tokens: { keep: 5 } }\n",
    ),
    case(
        "a refusal that quotes the key",
        3,
        "  - fault: { http: { status: 403, message: 'sim-key-c0ffee-5417-never-to-be-seen may not.' } }\n",
    ),
    case(
        "an answer that quotes the key",
        0,
        "  - { when: { prompt_contains: '\"citations\"' }, reply: { json: { answer: 'It is \
         sim-key-c0ffee-5417-never-to-be-seen.', citations: [] } } }\n",
    ),
    Case {
        more: &["--model", "gemini-9-nothing"],
        ..case("unknown model", 2, "")
    },
];

/// Exit code and every line on stderr but those that tell of progress, without addresses.
fn describe(simulated: &Simulated, name: &str, called: &Called, address: &str) -> String {
    for text in [&called.stdout, &called.stderr] {
        assert!(!text.contains(KEY), "{name}: the key was printed: {text}");
    }
    simulated.assert_no_key();
    let last = called
        .stderr
        .lines()
        .skip_while(|line| !line.starts_with("error:"));
    let lines: Vec<&str> = last.collect();
    let text = format!("# {name}\nexit {}\n{}\n", called.code, lines.join("\n"));
    let text = text.replace(address, "HOST");
    crate::normal::normalise(&text, &simulated.world.path(""))
}

fn try_out(case: &Case) -> String {
    let simulated = Simulated::new(&format!("{}{}", case.rules, research(1)));
    let called = simulated.ask(case.more);
    assert_eq!(
        called.code, case.code,
        "{}: {}\n{}",
        case.name, called.stdout, called.stderr
    );
    describe(
        &simulated,
        case.name,
        &called,
        &simulated.running.addr().to_string(),
    )
}

#[test]
fn every_trouble_of_a_provider_is_reported() {
    let screens = std::thread::scope(|scope| {
        let tried: Vec<_> = CASES.iter().map(|case| scope.spawn(|| try_out(case))).collect();
        let tried = tried.into_iter().map(|thread| thread.join().unwrap());
        tried.collect::<Vec<_>>().join("\n")
    });
    golden!("provider_trouble", screens);
}

#[test]
fn a_retry_is_offered_only_where_it_can_help() {
    for (fault, is_offered) in [
        ("safety: { stage: prompt }", false),
        ("safety: { stage: answer }", false),
        ("http: { status: 503 }", true),
    ] {
        let simulated = Simulated::new(&format!("  - fault: {{ {fault} }}\n{}", research(1)));
        let asked = simulated.ask(&[]);
        assert_eq!(asked.code, 4, "{fault}: {}", asked.stderr);
        let shown = simulated.call(&["show", "last"]);
        let printed = format!("{}{}{}", asked.stdout, asked.stderr, shown.stdout);
        assert_eq!(
            printed.contains("gemicro retry"),
            is_offered,
            "{fault}: {printed}"
        );
        assert!(shown.stdout.contains("gemicro show"), "{fault}: {}", shown.stdout);
    }
}

#[test]
fn a_missing_and_a_bad_key_are_reported() {
    let simulated = Simulated::new(&research(1));
    let arguments = ["research", "--no-web", "What is it?"];
    let without = simulated
        .command(&arguments)
        .env_remove("GEMINI_API_KEY")
        .output();
    let without = simulated.world.finish(without.unwrap());
    let bad = simulated
        .command(&arguments)
        .env("GEMINI_API_KEY", "invalid")
        .output();
    let bad = simulated.world.finish(bad.unwrap());
    let odd = simulated
        .command(&arguments)
        .env("GEMINI_API_KEY", "two\nlines")
        .output();
    let odd = simulated.world.finish(odd.unwrap());
    assert_eq!((without.code, bad.code, odd.code), (3, 3, 3), "{}", odd.stderr);
    assert!(!odd.stderr.contains("two\nlines"));
    let host = simulated.running.addr().to_string();
    let screens = [
        ("missing key", without),
        ("bad key", bad),
        ("key of two lines", odd),
    ];
    let screens = screens.map(|(name, called)| describe(&simulated, name, &called, &host));
    golden!("key_trouble", screens.join("\n"));
}

/// A server that says the same to everyone.
fn server(says: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 65_536];
            let _ = stream.read(&mut bytes);
            let _ = stream.write_all(says.as_bytes());
        }
    });
    address
}

#[test]
fn an_address_where_no_gemini_api_is_is_reported() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .to_string();
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<h1>Welcome</h1>";
    let moved = "HTTP/1.1 302 Found\r\nlocation: http://example.com/\r\nconnection: close\r\n\r\n";
    let places = [
        ("a web page", server(page)),
        ("a redirect", server(moved)),
        ("a mail server", server("220 mail.example.com ESMTP ready\r\n")),
        ("a server that hangs up", server("")),
        ("a closed port", closed),
    ];
    let screens = std::thread::scope(|scope| {
        let tried = places.map(|(name, address)| {
            scope.spawn(move || {
                let simulated = Simulated::new(&research(1));
                let mut command = simulated.command(&["research", "--no-web", "What is it?"]);
                command.env("GOOGLE_GEMINI_BASE_URL", format!("http://{address}"));
                let called = simulated.world.finish(command.output().unwrap());
                assert_eq!(called.code, 4, "{name}: {}", called.stderr);
                assert_eq!(simulated.running.log().entries().len(), 0);
                describe(&simulated, name, &called, &address)
            })
        });
        tried.map(|thread| thread.join().unwrap()).join("\n")
    });
    golden!("wrong_address", screens);
}

#[test]
fn no_log_reports_the_key() {
    let simulated = Simulated::new(&research(1));
    let mut command = simulated.command(&["-v", "research", "--no-web", "What is it?"]);
    let called = simulated
        .world
        .finish(command.env("GEMICRO_LOG", "trace").output().unwrap());
    assert_eq!(called.code, 0, "{}", called.stderr);
    // Those who log headers and addresses were heard.
    assert!(called.stderr.contains("hyper"), "{}", called.stderr);
    assert!(!called.stderr.contains(KEY) && !called.stdout.contains(KEY));
}

#[test]
fn a_key_that_would_travel_in_clear_is_worth_a_warning() {
    let simulated = Simulated::new(&research(1));
    for (variable, url, is_reported) in [
        ("ANTHROPIC_BASE_URL", "http://192.0.2.7:1/x", true),
        ("ANTHROPIC_BASE_URL", "http://user:pw@models.example:8080", true),
        ("OPENAI_BASE_URL", "HTTP://192.0.2.7", true),
        ("OPENAI_BASE_URL", "http://[2001:db8::1]:80/v1", true),
        ("OPENAI_BASE_URL", "https://models.example/v1", false),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1", false),
        ("OPENAI_BASE_URL", "http://[::1]:9/v1", false),
        ("OPENAI_BASE_URL", "http://localhost/v1", false),
    ] {
        let mut command = simulated.command(&["research", "--no-web", "What is it?"]);
        command
            .env(variable, url)
            .env("OPENAI_API_KEY", KEY)
            .env("ANTHROPIC_API_KEY", KEY);
        let called = simulated.world.finish(command.output().unwrap());
        assert_eq!(
            called.stderr.contains("unencrypted"),
            is_reported,
            "{url}: {}",
            called.stderr
        );
    }
}
