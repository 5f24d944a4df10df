//! GitHub's REST API.

use axum::http::Method;
use serde_json::{Value, json};

use super::reply::ForgeReply;
use super::script::{CallPurpose, ForgeScript, ScriptedProtection, ScriptedRequest};
use super::state::{ForgeState, HeldRequest, HeldState};
use crate::server::{IncomingRequest, percent_decode};

const DOCUMENTATION: &str = "https://docs.github.com/rest";
const RULESET: u64 = 42;

/// Returns the purpose of a call.
pub(super) fn purpose(incoming: &IncomingRequest) -> Option<CallPurpose> {
    let path: Vec<&str> = incoming.path.trim_matches('/').split('/').collect();
    match (&incoming.method, path.as_slice()) {
        (&Method::GET, ["repos", _, _]) => Some(CallPurpose::Repository),
        (&Method::GET, ["repos", _, _, "branches" | "rules" | "rulesets", ..]) => {
            Some(CallPurpose::Protection)
        }
        (&Method::GET, ["repos", _, _, "pulls"]) => Some(CallPurpose::List),
        (&Method::POST, ["repos", _, _, "pulls"]) => Some(CallPurpose::Create),
        (&Method::PATCH, ["repos", _, _, "pulls", _]) => Some(CallPurpose::Update),
        _ => None,
    }
}

pub(super) fn unauthorised_reply(had_token: bool) -> ForgeReply {
    match had_token {
        true => error(401, "Bad credentials"),
        false => error(401, "Requires authentication"),
    }
}

pub(super) fn forbidden_reply() -> ForgeReply {
    error(403, "Resource not accessible by personal access token")
}

/// Answers a call that the token permits.
pub(super) fn answer(script: &ForgeScript, state: &mut ForgeState, incoming: &IncomingRequest) -> ForgeReply {
    let path: Vec<String> = incoming
        .path
        .trim_matches('/')
        .split('/')
        .map(percent_decode)
        .collect();
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let ["repos", owner, name, rest @ ..] = path.as_slice() else {
        return error(404, "Not Found");
    };
    if !format!("{owner}/{name}").eq_ignore_ascii_case(&script.project) {
        return error(404, "Not Found");
    }
    match (&incoming.method, rest) {
        (&Method::GET, []) => ForgeReply::new(200, repository(script)),
        (&Method::GET, ["branches", branch]) => one_branch(script, branch),
        (&Method::GET, ["branches", branch, "protection"]) => classic(script, branch),
        (&Method::GET, ["rules", "branches", branch]) => ForgeReply::new(200, rules(script, branch)),
        (&Method::GET, ["rulesets", "42"]) if script.protection == ScriptedProtection::Ruleset => {
            ForgeReply::new(
                200,
                json!({ "id": RULESET, "name": "guard main", "target": "branch", "enforcement": "active" }),
            )
        }
        (&Method::GET, ["pulls"]) => ForgeReply::new(200, list(script, state, incoming)),
        (&Method::POST, ["pulls"]) => create(script, state, incoming),
        (&Method::PATCH, ["pulls", number]) => update(script, state, incoming, number),
        _ => error(404, "Not Found"),
    }
}

fn classic(script: &ForgeScript, branch: &str) -> ForgeReply {
    if branch != script.default_branch {
        return error(404, "Branch not found");
    }
    let switch = |enabled: bool| json!({ "enabled": enabled });
    match script.protection {
        ScriptedProtection::Off | ScriptedProtection::Ruleset => error(404, "Branch not protected"),
        ScriptedProtection::Forbidden | ScriptedProtection::ForbiddenOff => forbidden_reply(),
        ScriptedProtection::On => ForgeReply::new(
            200,
            json!({
                "required_pull_request_reviews": {
                    "dismiss_stale_reviews": false,
                    "require_code_owner_reviews": false,
                    "required_approving_review_count": 1,
                },
                "enforce_admins": switch(true),
                "required_linear_history": switch(false),
                "allow_force_pushes": switch(false),
                "allow_deletions": switch(false),
            }),
        ),
        ScriptedProtection::Weak => ForgeReply::new(
            200,
            json!({
                "enforce_admins": switch(false),
                "required_linear_history": switch(false),
                "allow_force_pushes": switch(true),
                "allow_deletions": switch(false),
            }),
        ),
    }
}

fn one_branch(script: &ForgeScript, branch: &str) -> ForgeReply {
    if branch != script.default_branch {
        return error(404, "Branch not found");
    }
    let protected = match script.protection {
        ScriptedProtection::Off | ScriptedProtection::ForbiddenOff => false,
        ScriptedProtection::On
        | ScriptedProtection::Weak
        | ScriptedProtection::Ruleset
        | ScriptedProtection::Forbidden => true,
    };
    let sha = "6dcb09b5b57875f334f61aebed695e2e4193db5e";
    ForgeReply::new(
        200,
        json!({ "name": branch, "commit": { "sha": sha }, "protected": protected }),
    )
}

fn rules(script: &ForgeScript, branch: &str) -> Value {
    if script.protection != ScriptedProtection::Ruleset || branch != script.default_branch {
        return json!([]);
    }
    let rule = |kind: &str| {
        json!({
            "type": kind,
            "ruleset_source_type": "Repository",
            "ruleset_source": script.project,
            "ruleset_id": RULESET,
        })
    };
    json!([rule("deletion"), rule("non_fast_forward"), rule("pull_request")])
}

fn list(script: &ForgeScript, state: &ForgeState, incoming: &IncomingRequest) -> Value {
    let number = |name: &str, default: usize| {
        let given = incoming.parameter(name).and_then(|value| value.parse().ok());
        given.unwrap_or(default).max(1)
    };
    let (per_page, page) = (number("per_page", 30), number("page", 1));
    let wanted = incoming.parameter("state").unwrap_or("open");
    // `owner:branch`; the service ignores filters in any other form.
    let head = incoming.parameter("head").and_then(|head| head.split_once(':'));
    let base = incoming.parameter("base");
    let found = state.requests.iter().rev().filter(|request| {
        let is_open = request.state == HeldState::Open;
        let is_wanted = wanted == "all" || (wanted == "open") == is_open;
        let has_head = head.is_none_or(|(owner, branch)| {
            request.head == branch && owner.eq_ignore_ascii_case(owner_of(script, request))
        });
        is_wanted && has_head && base.is_none_or(|base| request.base == base)
    });
    let page = found.skip((page - 1) * per_page).take(per_page);
    page.map(|request| pull_request(script, request)).collect()
}

fn create(script: &ForgeScript, state: &mut ForgeState, incoming: &IncomingRequest) -> ForgeReply {
    let body: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
    let field = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    for name in ["title", "head", "base"] {
        if field(name).is_empty() {
            return invalid(json!({ "resource": "PullRequest", "field": name, "code": "missing_field" }));
        }
    }
    let (head, base) = (field("head"), field("base"));
    if state.open_between(&head, &base).is_some() {
        let owner = script.project.split('/').next().unwrap_or_default();
        let message = format!("A pull request already exists for {owner}:{head}.");
        return invalid(json!({ "resource": "PullRequest", "code": "custom", "message": message }));
    }
    let request = state.add(ScriptedRequest {
        head,
        base,
        title: field("title"),
        body: field("body"),
        fork: false,
    });
    ForgeReply::new(201, pull_request(script, request))
}

fn update(
    script: &ForgeScript,
    state: &mut ForgeState,
    incoming: &IncomingRequest,
    number: &str,
) -> ForgeReply {
    let body: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
    let number = number.parse().unwrap_or_default();
    let Some(request) = state.by_number(number) else {
        return error(404, "Not Found");
    };
    if let Some(title) = body["title"].as_str() {
        title.clone_into(&mut request.title);
    }
    if let Some(text) = body["body"].as_str() {
        text.clone_into(&mut request.body);
    }
    ForgeReply::new(200, pull_request(script, request))
}

fn repository(script: &ForgeScript) -> Value {
    let (owner, name) = script.project.split_once('/').unwrap_or_default();
    json!({
        "id": 1_296_269,
        "name": name,
        "full_name": script.project,
        "owner": { "login": owner, "id": 1, "type": "Organization" },
        "private": true,
        "html_url": format!("https://github.com/{}", script.project),
        "fork": false,
        "default_branch": script.default_branch,
    })
}

fn pull_request(script: &ForgeScript, request: &HeldRequest) -> Value {
    let (owner, name) = script.project.split_once('/').unwrap_or_default();
    let head_owner = owner_of(script, request);
    let side = |owner: &str, branch: &str| {
        json!({
            "label": format!("{owner}:{branch}"),
            "ref": branch,
            "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e",
            "user": { "login": owner },
            "repo": { "full_name": format!("{owner}/{name}") },
        })
    };
    let (state, merged_at) = match request.state {
        HeldState::Open => ("open", Value::Null),
        HeldState::Merged => ("closed", json!("2026-01-26T19:01:12Z")),
        HeldState::Closed => ("closed", Value::Null),
    };
    json!({
        "id": 1_000 + request.number,
        "number": request.number,
        "html_url": format!("https://github.com/{}/pull/{}", script.project, request.number),
        "state": state,
        "title": request.title,
        "body": request.body,
        "draft": false,
        "merged_at": merged_at,
        "head": side(head_owner, &request.head),
        "base": side(owner, &request.base),
    })
}

fn owner_of<'s>(script: &'s ForgeScript, request: &HeldRequest) -> &'s str {
    match request.fork {
        true => "somebody",
        false => script.project.split('/').next().unwrap_or_default(),
    }
}

fn invalid(what: Value) -> ForgeReply {
    let body = json!({
        "message": "Validation Failed",
        "errors": [what],
        "documentation_url": format!("{DOCUMENTATION}/pulls/pulls#create-a-pull-request"),
        "status": "422",
    });
    ForgeReply::new(422, body)
}

fn error(status: u16, message: &str) -> ForgeReply {
    let body =
        json!({ "message": message, "documentation_url": DOCUMENTATION, "status": status.to_string() });
    ForgeReply::new(status, body)
}
