//! Writes the merge request as text, for repositories without a forge.

use url::Url;

use super::offer::Offer;

/// Writes the request as Markdown: what is offered, and how to review and merge it with plain git. `merged` is the
/// commit of the base that the branch contains; the local base branch may be behind it. A password in the remote's
/// address is removed.
#[must_use]
pub fn local_request(offer: &Offer, merged: &str, remote: Option<&str>) -> String {
    let (head, base) = (shell_word(&offer.head), shell_word(&offer.base));
    let place = match remote {
        Some(remote) => format!(
            "pushed to `{}`, where no forge was recognised",
            without_password(remote)
        ),
        None => "only in this repository: it was not pushed".to_owned(),
    };
    let mut text = format!(
        "# {heading}\n\n\
         The branch `{}` is ready to be merged into `{}`. It is {place}.\n\n\
         ```\n\
         git log --oneline {merged}..{head}\n\
         git diff {merged} {head}\n\
         git switch {base} && git merge --no-ff {head}\n\
         ```\n",
        offer.head,
        offer.base,
        heading = offer.heading(),
    );
    text.push('\n');
    text.push_str(&offer.text());
    text.push('\n');
    text
}

/// Returns a remote's address without user and password; the user of a plain SSH address is kept.
fn without_password(remote: &str) -> String {
    let Ok(mut url) = Url::parse(remote) else {
        return remote.to_owned();
    };
    // Addresses that cannot have a user need no change.
    if url.password().is_some() || url.scheme() != "ssh" {
        let _ = url.set_username("");
    }
    let _ = url.set_password(None);
    url.to_string()
}

/// Quotes a name as one shell word.
fn shell_word(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@".contains(c);
    if !name.is_empty() && !name.starts_with('-') && name.chars().all(plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(head: &str) -> Offer {
        Offer {
            head: head.to_owned(),
            base: "main".to_owned(),
            title: "Greet people".to_owned(),
            body: "Because they like it.\n".to_owned(),
            marker: "Gemicro-Run: abc".to_owned(),
        }
    }

    #[test]
    fn the_whole_text() {
        let expected = "# Greet people\n\n\
            The branch `task/greet` is ready to be merged into `main`. It is only in this repository: it was not pushed.\n\n\
            ```\n\
            git log --oneline 1f2e3d..task/greet\n\
            git diff 1f2e3d task/greet\n\
            git switch main && git merge --no-ff task/greet\n\
            ```\n\n\
            Because they like it.\n\n\
            Gemicro-Run: abc\n";
        assert_eq!(local_request(&offer("task/greet"), "1f2e3d", None), expected);
    }

    #[test]
    fn no_password_is_shown() {
        let cases = [
            ("https://me:hunter22@host/a/b.git", "https://host/a/b.git"),
            ("https://hunter22@host/a/b.git", "https://host/a/b.git"),
            ("ssh://git@host/a/b.git", "ssh://git@host/a/b.git"),
            ("ssh://git:hunter22@host/a/b.git", "ssh://host/a/b.git"),
            ("git@host:a/b.git", "git@host:a/b.git"),
            ("/srv/git/b.git", "/srv/git/b.git"),
        ];
        for (remote, shown) in cases {
            assert_eq!(without_password(remote), shown);
            let text = local_request(&offer("task/greet"), "1f2e3d", Some(remote));
            assert!(text.contains(&format!("pushed to `{shown}`")) && !text.contains("hunter22"));
        }
    }

    #[test]
    fn odd_names_are_one_word_of_a_shell() {
        for (name, word) in [
            ("task/a-b_c.d", "task/a-b_c.d"),
            ("a;rm", "'a;rm'"),
            ("it's", r"'it'\''s'"),
            ("-f", "'-f'"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(shell_word(name), word);
        }
    }
}
