//! Which forge a remote's address means.

use gemicro_pipeline::forge::ForgeKind::{self, GitHub, GitLab};
use gemicro_pipeline::forge::HostOrigin::{self, Guessed, Named, Public};
use gemicro_pipeline::forge::{ForgeHosts, recognise};

type Expected = Option<(ForgeKind, &'static str, &'static str, HostOrigin)>;

fn hosts() -> ForgeHosts {
    ForgeHosts::default()
        .name("git.example.com", GitLab, None)
        .and_then(|hosts| hosts.name("code.example.com", GitHub, None))
        .and_then(|hosts| hosts.name("work", GitHub, Some("https://api.github.com")))
        .and_then(|hosts| {
            hosts.name(
                "web.example.com",
                GitLab,
                Some("https://web.example.com/gitlab/api/v4"),
            )
        })
        .and_then(|hosts| hosts.name("127.0.0.1:4000", GitHub, Some("http://127.0.0.1:4000")))
        .and_then(|hosts| hosts.name("127.0.0.1", GitLab, None))
        .unwrap()
}

#[test]
fn every_form_of_address() {
    const HUB: &str = "https://api.github.com/";
    const LAB: &str = "https://gitlab.com/api/v4";
    let cases: &[(&str, Expected)] = &[
        // The services that everybody knows.
        (
            "https://github.com/octo/hello",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "https://github.com/octo/hello.git",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "https://github.com/octo/hello.git/",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "https://github.com/octo/hello/",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "https://www.github.com/octo/hello",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "HTTPS://GitHub.com/Octo/Hello.git",
            Some((GitHub, HUB, "Octo/Hello", Public)),
        ),
        (
            "http://github.com/octo/hello",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "git://github.com/octo/hello.git",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "git@github.com:octo/hello.git",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        ("github.com:octo/hello", Some((GitHub, HUB, "octo/hello", Public))),
        (
            "git@github.com:/octo/hello.git",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "ssh://git@github.com/octo/hello.git",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "ssh://git@ssh.github.com:443/octo/hello.git",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "git+ssh://git@github.com/octo/hello",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "https://me:hunter22@github.com/octo/hello",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "https://hunter22@github.com/octo/hello.git",
            Some((GitHub, HUB, "octo/hello", Public)),
        ),
        (
            "  https://github.com/octo/hello.js.git\n",
            Some((GitHub, HUB, "octo/hello.js", Public)),
        ),
        (
            "https://corp.ghe.com/octo/hello",
            Some((GitHub, "https://api.corp.ghe.com/", "octo/hello", Public)),
        ),
        (
            "https://gitlab.com/octo/hello.git",
            Some((GitLab, LAB, "octo/hello", Public)),
        ),
        (
            "git@gitlab.com:octo/deep/er/hello.git",
            Some((GitLab, LAB, "octo/deep/er/hello", Public)),
        ),
        (
            "ssh://git@altssh.gitlab.com:443/octo/hello.git",
            Some((GitLab, LAB, "octo/hello", Public)),
        ),
        // Servers whose name says it.
        (
            "https://github.example.com/octo/hello",
            Some((GitHub, "https://github.example.com/api/v3", "octo/hello", Guessed)),
        ),
        (
            "git@eu.github.example.com:octo/hello.git",
            Some((
                GitHub,
                "https://eu.github.example.com/api/v3",
                "octo/hello",
                Guessed,
            )),
        ),
        (
            "https://gitlab.example.com:8443/a/b/c.git",
            Some((GitLab, "https://gitlab.example.com:8443/api/v4", "a/b/c", Guessed)),
        ),
        (
            "ssh://git@gitlab.example.com:2222/a/b.git",
            Some((GitLab, "https://gitlab.example.com/api/v4", "a/b", Guessed)),
        ),
        (
            "http://gitlab.example.com:8080/a/b.git",
            Some((GitLab, "https://gitlab.example.com/api/v4", "a/b", Guessed)),
        ),
        // Hosts that the user named.
        (
            "git@git.example.com:a/b.git",
            Some((GitLab, "https://git.example.com/api/v4", "a/b", Named)),
        ),
        (
            "https://code.example.com/a/b",
            Some((GitHub, "https://code.example.com/api/v3", "a/b", Named)),
        ),
        ("work:octo/hello.git", Some((GitHub, HUB, "octo/hello", Named))),
        (
            "https://web.example.com/gitlab/a/b.git",
            Some((GitLab, "https://web.example.com/gitlab/api/v4", "a/b", Named)),
        ),
        (
            "git@web.example.com:a/b.git",
            Some((GitLab, "https://web.example.com/gitlab/api/v4", "a/b", Named)),
        ),
        (
            "http://127.0.0.1:4000/octo/hello",
            Some((GitHub, "http://127.0.0.1:4000/", "octo/hello", Named)),
        ),
        (
            "http://127.0.0.1:4001/a/b",
            Some((GitLab, "http://127.0.0.1:4001/api/v4", "a/b", Named)),
        ),
        // No forge, or no repository at one.
        ("https://example.com/octo/hello", None),
        ("https://notgithub.com/octo/hello", None),
        (
            "https://github.com.example.com/octo/hello.git",
            Some((
                GitHub,
                "https://github.com.example.com/api/v3",
                "octo/hello",
                Guessed,
            )),
        ),
        ("https://a.b.ghe.com/octo/hello", None),
        ("https://github.com/octo", None),
        ("https://github.com/octo/hello/pull/1", None),
        ("https://github.com/octo/../hello", None),
        ("https://github.com/octo/he%2Fllo", None),
        ("https://gitlab.com/octo/hello/-/tree/main", None),
        ("git@github.com:octo/hello world.git", None),
        ("/srv/git/hello.git", None),
        ("../hello", None),
        ("./github.com:octo/hello", None),
        ("C:/octo/hello", None),
        ("C:\\octo\\hello", None),
        ("file:///srv/github.com/octo/hello.git", None),
        ("", None),
        ("github.com", None),
    ];
    assert!(cases.len() >= 25);
    for (remote, expected) in cases {
        let found = recognise(remote, &hosts());
        let got = found.as_ref().map(|found| {
            (
                found.kind(),
                found.api().as_str(),
                found.project(),
                found.origin(),
            )
        });
        assert_eq!(got, *expected, "{remote}");
        assert!(!format!("{found:?}").contains("hunter22"), "{remote}");
    }
}

#[test]
fn an_api_address_must_be_plain() {
    for api in [
        "nonsense",
        "ssh://git.example.com",
        "https://me:hunter22@git.example.com/api/v4",
        "https://git.example.com/api/v4?token=hunter22",
    ] {
        let error = ForgeHosts::default()
            .name("git.example.com", GitLab, Some(api))
            .unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("the API address of the forge git.example.com "),
            "{text}"
        );
        assert!(!text.contains("hunter22"), "{text}");
    }
}
