//! Pushes the branch and opens a request to merge it: on the remote's forge, or as a text.

use gemicro_agents::branch_at::open_plain;
use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{StepWorkerKind, to_failure};
use gemicro_core::execute::StepCall;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::Slug;
use gemicro_pipeline::forge::{Offer, RequestState, local_request};
use gemicro_pipeline::payload::DOCUMENT_FOLDER;
use gemicro_pipeline::steps::{DeliverInput, DeliverResult};

pub(crate) async fn deliver(
    tools: &Tools,
    input: DeliverInput,
    call: &StepCall,
) -> Result<DeliverResult, Failure> {
    let branch = open_plain(tools, &input.place, call).await?;
    let repository = branch.repository().clone();
    let (look, tip, tree) = (repository.clone(), input.place.tip.clone(), input.tree.clone());
    let remote_url = {
        let remote = input.main.remote.clone();
        run_blocking(move || {
            let found = look.tree_without(&commit(&tip)?, &[DOCUMENT_FOLDER]);
            if found.map_err(|error| to_failure(&error))? != tree {
                let message = "the branch differs from what was reviewed, so it is not delivered";
                return Err(Failure::new(ErrorKind::GateClosed, message));
            }
            let remotes = look.remotes().map_err(|error| to_failure(&error))?;
            let named = remotes.into_iter().find(|it| Some(&it.name) == remote.as_ref());
            Ok(named.map(|it| it.url))
        })
        .await?
    };
    let offer = Offer {
        head: input.place.branch.clone(),
        base: input.main.name.clone(),
        title: input.title.clone(),
        body: input.body.clone(),
        marker: format!("Gemicro-Run: {}", call.run),
    };
    let mut delivered = DeliverResult {
        commit: input.place.tip.clone(),
        remote: None,
        url: None,
        existed: false,
        request: None,
        notes: Vec::new(),
    };
    let pushed_to = input.main.remote.clone().filter(|_| input.push);
    if let Some(remote) = &pushed_to {
        let (name, tip) = (remote.clone(), input.place.tip.clone());
        let slug: Slug = input.place.branch.parse().map_err(|error| to_failure(&error))?;
        run_blocking(move || {
            repository
                .push(&name, &slug, &commit(&tip)?)
                .map_err(|error| to_failure(&error))
        })
        .await?;
        delivered.remote = Some(remote.clone());
    }
    let forge = match (&pushed_to, &remote_url) {
        (Some(_), Some(url)) => tools.setup.forges.of(url)?,
        (None, _) | (_, None) => None,
    };
    match forge {
        Some(forge) => {
            let offered = forge.offer(&offer).await.map_err(Failure::from)?;
            delivered.existed = offered.existed;
            match offered.state {
                RequestState::Open => {}
                RequestState::Merged => delivered.notes.push("the request was merged already".to_owned()),
                RequestState::Closed => delivered.notes.push("the pull request was closed".to_owned()),
            }
            delivered.url = Some(offered.url);
        }
        None => {
            let shown = remote_url.filter(|_| pushed_to.is_some());
            delivered.request = Some(local_request(&offer, &input.main.commit, shown.as_deref()));
        }
    }
    let _ = branch.leave_clean(StepWorkerKind::Gemicro).await;
    Ok(delivered)
}
