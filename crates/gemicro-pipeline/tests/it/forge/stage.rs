//! A scripted forge with a client for it.

use gemicro_pipeline::forge::{
    Forge, ForgeAddress, ForgeHosts, ForgeKind, ForgeToken, Offer, OfferResult, RequestState, open, recognise,
};
use gemicro_sim::forge::{
    CallPurpose, ForgeApi, ForgeFault, ForgeFaultKind, ForgeScript, ForgeSimulator, RunningForge,
};

/// Both kinds: a test is for all of them.
pub(super) const KINDS: [ForgeKind; 2] = [ForgeKind::GitHub, ForgeKind::GitLab];

pub(super) const TOKEN: &str = "token-that-must-not-be-seen-1234";

/// A script without anything special.
pub(super) fn script(kind: ForgeKind) -> ForgeScript {
    ForgeScript::new(match kind {
        ForgeKind::GitHub => ForgeApi::GitHub,
        ForgeKind::GitLab => ForgeApi::GitLab,
    })
}

pub(super) fn fault(on: CallPurpose, what: ForgeFaultKind) -> ForgeFault {
    ForgeFault { on, times: 1, what }
}

/// A running forge with a client that has the good token.
pub(super) async fn stage(script: ForgeScript) -> (RunningForge, Box<dyn Forge>) {
    stage_with(script, Some(TOKEN)).await
}

pub(super) async fn stage_with(script: ForgeScript, token: Option<&str>) -> (RunningForge, Box<dyn Forge>) {
    let kind = match script.api {
        ForgeApi::GitHub => ForgeKind::GitHub,
        ForgeApi::GitLab => ForgeKind::GitLab,
    };
    let project = script.project.clone();
    let running = ForgeSimulator::start(script).await.unwrap();
    let address = address(kind, &running.api_url(), &project);
    let forge = open(address, token.and_then(ForgeToken::new)).unwrap();
    (running, forge)
}

/// The address of a project at a forge that the user named.
pub(super) fn address(kind: ForgeKind, api_url: &str, project: &str) -> ForgeAddress {
    let hosts = ForgeHosts::default()
        .name("forge.test", kind, Some(api_url))
        .unwrap();
    recognise(&format!("git@forge.test:{project}.git"), &hosts).unwrap()
}

pub(super) fn offer() -> Offer {
    Offer {
        head: "task/greet people".to_owned(),
        base: "main".to_owned(),
        title: "Greet people".to_owned(),
        body: "Because they like it.".to_owned(),
        marker: "Gemicro-Run: k3v9".to_owned(),
    }
}

pub(super) fn url(kind: ForgeKind, number: u64) -> String {
    match kind {
        ForgeKind::GitHub => format!("https://github.com/octo/hello/pull/{number}"),
        ForgeKind::GitLab => format!("https://gitlab.com/octo/hello/-/merge_requests/{number}"),
    }
}

/// What an offer should come to.
pub(super) fn offered(kind: ForgeKind, number: u64, existed: bool, state: RequestState) -> OfferResult {
    OfferResult {
        url: url(kind, number),
        number,
        existed,
        state,
    }
}
