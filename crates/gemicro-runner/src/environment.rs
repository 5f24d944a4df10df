//! Builds the environment of a CLI: a short list of variables, never the caller's whole environment.
//!
//! Commands that a model runs inherit it, so it must not contain secrets of value.

use std::collections::BTreeMap;

use crate::request::AgentRequest;

/// Variables inherited from the caller; all others are dropped.
pub const INHERITED: &[&str] = &[
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "USER",
    "LOGNAME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Git settings that a workspace must not change: CLIs run git, and these settings would start programs. They override
/// those of any repository, even one inside the workspace; [`programs_off`](gemicro_guard::repository::programs_off)
/// handles those of the workspace itself.
const GIT_SETTINGS: [(&str, &str); 6] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("credential.helper", ""),
    // The address of a remote can be a command.
    ("protocol.ext.allow", "never"),
    // A bare repository hidden in the workspace has its own settings.
    ("safe.bareRepository", "explicit"),
];

/// Returns the variables for every CLI: the allowed ones of the caller, its home and its temporary folder.
pub(crate) fn base(request: &AgentRequest) -> BTreeMap<String, String> {
    let mut env: BTreeMap<String, String> = INHERITED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), request.inherited.get(*name)?.clone())))
        .collect();
    env.insert("HOME".to_owned(), request.home.display().to_string());
    env.insert("TMPDIR".to_owned(), request.temp.display().to_string());
    env.insert("NO_COLOR".to_owned(), "1".to_owned());
    // Node would load compiled code from the temporary folder, which any command can write.
    env.insert("NODE_DISABLE_COMPILE_CACHE".to_owned(), "1".to_owned());
    env.extend(git_settings(&request.git_settings));
    env
}

/// Returns the variables that hold git's settings: the given ones, then the fixed ones.
fn git_settings(further: &[(String, String)]) -> impl Iterator<Item = (String, String)> {
    let n_settings = further.len() + GIT_SETTINGS.len();
    let count = ("GIT_CONFIG_COUNT".to_owned(), n_settings.to_string());
    let fixed = GIT_SETTINGS.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let all = further.iter().cloned().chain(fixed).enumerate();
    let settings = all.flat_map(|(idx, (key, value))| {
        [
            (format!("GIT_CONFIG_KEY_{idx}"), key),
            (format!("GIT_CONFIG_VALUE_{idx}"), value),
        ]
    });
    std::iter::once(count).chain(settings)
}

pub(crate) fn set(env: &mut BTreeMap<String, String>, variables: &[(&str, &str)]) {
    for (name, value) in variables {
        env.insert((*name).to_owned(), (*value).to_owned());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use gemicro_guard::repository::{GitSettings, programs_off};

    use super::git_settings;

    /// Runs `sh` in a repository whose own settings start a program for everything, and says which were started.
    fn started(script: &str, with_settings: bool) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let mark = |name: &str| format!("touch {}/started-{name}; cat", folder.path().display());
        let set_up = format!(
            "git init -q repo && cd repo && git commit -q --allow-empty -m begin && mkdir .git/planted && \
             printf '#!/bin/sh\\n{hook}\\n' > .git/planted/pre-commit && chmod +x .git/planted/pre-commit && \
             git init -q sub && echo one > a.f && cp a.f sub && cp a.f a.t && cp a.f a.c && cp a.f a.m && \
             git -C sub add . && git -C sub commit -q -m sub && git add -A 2>/dev/null && git commit -q -m files && \
             git checkout -q -b side && echo two > a.m && git commit -q -a -m two && git checkout -q - && \
             for file in a.*; do echo three > $file; done && echo two > sub/a.f && git commit -q -m three a.m && \
             printf '*.f filter=p\n*.t diff=t\n*.c diff=c\n*.m merge=p\n' | tee sub/.git/info/attributes > .git/info/attributes && \
             git -C sub config filter.p.clean '{submodule}' && \
             git config core.hooksPath .git/planted && git config core.pager '{pager}' && \
             git config credential.helper '!{helper}' && git config core.fsmonitor '{fsmonitor}' && \
             git config filter.p.clean '{filter}' && git config filter.p.required true && git config diff.t.textconv '{textconv}' && \
             git config diff.c.command '{diff}' && git config merge.p.driver '{merge}' && git config alias.st '!{alias}' && \
             git config core.editor '{editor}' && git config include.path ../more && \
             git config -f more core.sshCommand '{ssh}' && git config protocol.ext.allow always && \
             git config remote.ext.url 'ext::touch {ext}'",
            hook = mark("hook").replace("; cat", ""),
            pager = mark("pager"),
            helper = mark("helper"),
            fsmonitor = mark("fsmonitor"),
            submodule = mark("submodule"),
            filter = mark("filter"),
            textconv = mark("textconv"),
            diff = mark("diff"),
            merge = mark("merge"),
            alias = mark("alias"),
            editor = mark("editor"),
            ssh = mark("ssh"),
            ext = folder.path().join("started-ext").display(),
        );
        let sh = |script: &str, settings: bool| {
            let mut command = Command::new("sh");
            command
                .args(["-c", script])
                .current_dir(folder.path())
                .env("HOME", folder.path())
                .env("GIT_TERMINAL_PROMPT", "0")
                .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ada")))
                .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ada@example.com")));
            if settings {
                let user = GitSettings::new(std::env::var_os("PATH").unwrap_or_default(), folder.path());
                let off = programs_off(&user, &folder.path().join("repo")).expect("the settings of git");
                command.envs(git_settings(&off));
            }
            command.output().expect("sh")
        };
        let made = sh(&set_up, false);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        sh(&format!("cd repo && {script}"), with_settings);
        let entries = std::fs::read_dir(folder.path()).expect("the folder").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("started-")).collect()
    }

    #[test]
    fn settings_of_a_repository_start_no_program() {
        for (name, script) in [
            ("hook", "git commit -q --allow-empty -m again"),
            // A pager is started only for a terminal.
            ("pager", "script -qec 'git -p log' /dev/null"),
            (
                "helper",
                "printf 'protocol=https\\nhost=example.com\\n\\n' | git credential fill",
            ),
            ("fsmonitor", "git status"),
            ("filter", "git add a.f"),
            ("submodule", "git status"),
            ("textconv", "git diff a.t"),
            ("diff", "git diff a.c | tee ../shown"),
            ("merge", "git merge side"),
            ("alias", "git st"),
            ("editor", "git commit --amend"),
            ("ssh", "git ls-remote ssh://host.example/repo"),
            ("ext", "git ls-remote ext"),
        ] {
            let mark = format!("started-{name}");
            assert!(
                started(script, false).contains(&mark),
                "{name} starts without the settings"
            );
            assert_eq!(started(script, true), Vec::<String>::new(), "{name}");
        }
    }
}
