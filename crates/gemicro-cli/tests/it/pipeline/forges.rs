//! Branches that are offered on scripted forges: with and without protection, and where a request is there already.

use gemicro_sim::forge::{
    CallPurpose, ForgeApi, ForgeScript, ForgeSimulator, RunningForge, ScriptedProtection, ScriptedRequest,
    TokenRights,
};
use tokio::runtime::{Builder, Runtime};

use super::push::remote;
use super::scene::{BRANCH, Ran, Scene, git};

const TOKEN: &str = "token-that-must-not-be-seen-1234";
const ADDRESS: &str = "https://forge.test/octo/hello.git";

/// A forge that answers, and a repository whose remote is there.
struct Offered {
    scene: Scene,
    forge: RunningForge,
    api: ForgeApi,
    _runtime: Runtime,
}

impl Offered {
    fn new(script: ForgeScript) -> Self {
        let api = script.api;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let forge = runtime.block_on(ForgeSimulator::start(script)).unwrap();
        let scene = Scene::new();
        let bare = remote(&scene).display().to_string();
        // Git goes to the folder, gemicro asks the forge.
        scene.git(&["remote", "set-url", "origin", ADDRESS]);
        scene.git(&["config", &format!("url.{bare}.insteadOf"), ADDRESS]);
        let kind = match api {
            ForgeApi::GitHub => "github",
            ForgeApi::GitLab => "gitlab",
        };
        let folder = scene.world.path("config/gemicro");
        std::fs::create_dir_all(&folder).unwrap();
        let settings = format!(
            "[forge.hosts.\"forge.test\"]\nkind = \"{kind}\"\napi = \"{}\"\n",
            forge.api_url()
        );
        std::fs::write(folder.join("config.toml"), settings).unwrap();
        Self {
            scene,
            forge,
            api,
            _runtime: runtime,
        }
    }

    fn run(&self, more: &[&str]) -> Ran {
        self.call(&Scene::arguments(more))
    }

    /// A command with the token.
    fn call(&self, arguments: &[&str]) -> Ran {
        let variable = match self.api {
            ForgeApi::GitHub => "GITHUB_TOKEN",
            ForgeApi::GitLab => "GITLAB_TOKEN",
        };
        let mut command = self.scene.command(arguments);
        command
            .env("XDG_CONFIG_HOME", self.scene.world.path("config"))
            .env(variable, TOKEN);
        let ran = self.scene.ran(&mut command);
        let journal = self.scene.world.call(&["events", "last"]).stdout;
        for text in [&ran.called.stdout, &ran.called.stderr, &journal] {
            assert!(!text.contains(TOKEN), "{text}");
        }
        self.scene.assert_main_untouched();
        ran
    }
}

fn script(api: ForgeApi, protection: ScriptedProtection) -> ForgeScript {
    let token = Some(TOKEN.to_owned());
    ForgeScript {
        protection,
        token,
        ..ForgeScript::new(api)
    }
}

#[test]
fn a_branch_is_offered_once_on_a_protected_main() {
    for (api, protection) in [
        (ForgeApi::GitHub, ScriptedProtection::Ruleset),
        (ForgeApi::GitLab, ScriptedProtection::On),
    ] {
        let offered = Offered::new(script(api, protection));
        let ran = offered.run(&["--require-protection"]);
        ran.assert_completed();
        let prepared = &ran.all("pipeline_prepared")[0]["data"]["prepared"];
        assert!(
            prepared["protection"]
                .as_str()
                .unwrap()
                .contains("is protected by"),
            "{prepared}"
        );
        let requests = offered.forge.requests();
        assert_eq!(requests.len(), 1);
        assert_eq!(
            (requests[0].head.as_str(), requests[0].base.as_str()),
            (BRANCH, "main")
        );
        let run = ran.events[0]["stream"].as_str().unwrap_or_default().to_owned();
        assert!(
            requests[0].body.contains(&format!("Gemicro-Run: {run}")),
            "{}",
            requests[0].body
        );
        let delivered = &ran.all("pipeline_delivered")[0]["data"]["delivered"];
        assert!(
            delivered["url"].as_str().unwrap().contains("octo/hello"),
            "{delivered}"
        );
    }
}

#[test]
fn a_main_without_protection_is_reported_or_refused() {
    for (api, protection) in [
        (ForgeApi::GitHub, ScriptedProtection::Off),
        (ForgeApi::GitHub, ScriptedProtection::Forbidden),
        (ForgeApi::GitLab, ScriptedProtection::Weak),
    ] {
        let offered = Offered::new(script(api, protection));
        let ran = offered.run(&["--require-protection"]);
        ran.assert_failed("permission_denied");
        assert_eq!(ran.asked(), Vec::<&str>::new());
        assert!(!offered.scene.has_branch(BRANCH));
        assert_eq!(offered.forge.count(CallPurpose::Create), 0);
    }
    let offered = Offered::new(script(ForgeApi::GitHub, ScriptedProtection::Off));
    let ran = offered.run(&[]);
    ran.assert_completed();
    let notes = ran.all("pipeline_prepared")[0]["data"]["prepared"]["notes"].to_string();
    assert!(notes.contains("is not protected"), "{notes}");
}

#[test]
fn a_request_that_is_there_is_used_and_a_token_without_rights_is_reported() {
    let mut there = script(ForgeApi::GitLab, ScriptedProtection::On);
    there.requests = vec![ScriptedRequest {
        head: BRANCH.to_owned(),
        base: "main".to_owned(),
        title: "By hand".to_owned(),
        body: "mine".to_owned(),
        fork: false,
    }];
    let offered = Offered::new(there);
    let ran = offered.run(&[]);
    ran.assert_completed();
    assert_eq!(
        ran.all("pipeline_delivered")[0]["data"]["delivered"]["existed"],
        true
    );
    assert_eq!(offered.forge.requests().len(), 1);
    assert_eq!(offered.forge.requests()[0].body, "mine");

    let mut reader = script(ForgeApi::GitHub, ScriptedProtection::On);
    reader.rights = TokenRights::Read;
    let offered = Offered::new(reader);
    let ran = offered.run(&[]);
    assert_ne!(ran.called.code, 0);
    assert!(ran.all("pipeline_delivered").is_empty());
    assert_eq!(offered.forge.requests().len(), 0);
}

#[test]
fn a_forge_that_does_not_answer_leaves_the_pushed_branch_and_says_how_to_continue() {
    let offered = Offered::new(script(ForgeApi::GitHub, ScriptedProtection::On));
    let scene = &offered.scene;
    let settings = scene.world.path("config/gemicro/config.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    // Nobody listens on the port for discarding.
    let refused = text.replace(&offered.forge.api_url().to_string(), "http://127.0.0.1:9");
    assert_ne!(text, refused);
    std::fs::write(&settings, refused).unwrap();
    let ran = offered.run(&[]);
    ran.assert_failed("upstream_error");
    assert_eq!(ran.called.code, 4, "{}", ran.called.stderr);
    let tip = scene.git(&["rev-parse", BRANCH]);
    let pushed = git(&scene.world.path("origin.git"), &["rev-parse", BRANCH]);
    assert_eq!(pushed, tip, "it was pushed before the forge was asked");
    let run = scene.world.last_run();
    let advice = format!("gemicro retry {run} --from delivery");
    let shown = scene.world.must(&["show", "last"]).stdout;
    for said in [&ran.called.stderr, &shown] {
        assert!(said.contains(&advice) && !said.contains("--allow-host"), "{said}");
    }

    // The advice works as soon as the forge answers again.
    std::fs::write(&settings, text).unwrap();
    let again = offered.call(&["retry", &run, "--from", "delivery"]);
    again.assert_completed();
    let requests = offered.forge.requests();
    assert_eq!(requests.len(), 1);
    let body = &requests[0].body;
    for expected in [&format!("\nIn run {run}:\n"), "| C audit | 1 | PASS |"] {
        assert!(body.contains(expected), "{body}");
    }
    for line in body.lines().filter(|line| line.contains("docs/dev_docs/")) {
        assert!(line.contains("/archived/"), "{line}");
    }
    assert_eq!(scene.git(&["rev-parse", BRANCH]), tip, "nothing is done again");
}
