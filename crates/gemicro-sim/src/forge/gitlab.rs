//! GitLab's REST API.

use axum::http::Method;
use serde_json::{Value, json};

use super::reply::ForgeReply;
use super::script::{CallPurpose, ForgeScript, ScriptedProtection, ScriptedRequest};
use super::state::{ForgeState, HeldRequest, HeldState};
use crate::server::{IncomingRequest, percent_decode};

/// Ids of the project and of a fork.
const PROJECT: u64 = 5;
const FORK: u64 = 6;

/// Returns the purpose of a call.
pub(super) fn purpose(incoming: &IncomingRequest) -> Option<CallPurpose> {
    let path: Vec<&str> = incoming.path.trim_matches('/').split('/').collect();
    match (&incoming.method, path.as_slice()) {
        (&Method::GET, ["api", "v4", "projects", _]) => Some(CallPurpose::Repository),
        (
            &Method::GET,
            [
                "api",
                "v4",
                "projects",
                _,
                "protected_branches" | "repository",
                ..,
            ],
        ) => Some(CallPurpose::Protection),
        (&Method::GET, ["api", "v4", "projects", _, "merge_requests"]) => Some(CallPurpose::List),
        (&Method::POST, ["api", "v4", "projects", _, "merge_requests"]) => Some(CallPurpose::Create),
        (&Method::PUT, ["api", "v4", "projects", _, "merge_requests", _]) => Some(CallPurpose::Update),
        _ => None,
    }
}

pub(super) fn unauthorised_reply() -> ForgeReply {
    message(401, "401 Unauthorized")
}

pub(super) fn forbidden_reply() -> ForgeReply {
    let body = json!({
        "error": "insufficient_scope",
        "error_description": "The request requires higher privileges than provided by the access token.",
        "scope": "api",
    });
    ForgeReply::new(403, body)
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
    let ["api", "v4", "projects", project, rest @ ..] = path.as_slice() else {
        return message(404, "404 Not Found");
    };
    if !project.eq_ignore_ascii_case(&script.project) {
        return message(404, "404 Project Not Found");
    }
    match (&incoming.method, rest) {
        (&Method::GET, []) => ForgeReply::new(200, one_project(script)),
        (&Method::GET, ["protected_branches"]) => protected_branches(script),
        (&Method::GET, ["repository", "branches", branch]) => one_branch(script, branch),
        (&Method::GET, ["merge_requests"]) => ForgeReply::new(200, list(script, state, incoming)),
        (&Method::POST, ["merge_requests"]) => create(script, state, incoming),
        (&Method::PUT, ["merge_requests", number]) => update(script, state, incoming, number),
        _ => message(404, "404 Not Found"),
    }
}

fn protected_branches(script: &ForgeScript) -> ForgeReply {
    let level = |level: u64, words: &str| json!([{ "id": 1, "access_level": level, "access_level_description": words }]);
    let (nobody, maintainers) = (|| level(0, "No one"), || level(40, "Maintainers"));
    let rule = |name: &str, push: Value, allow_force_push: bool| {
        json!({
            "id": 101,
            "name": name,
            "push_access_levels": push,
            "merge_access_levels": maintainers(),
            "allow_force_push": allow_force_push,
            "code_owner_approval_required": false,
        })
    };
    let pattern = format!("{}*", script.default_branch.get(..2).unwrap_or_default());
    let rules = match script.protection {
        ScriptedProtection::Off => json!([]),
        ScriptedProtection::On => json!([rule(&script.default_branch, nobody(), false)]),
        ScriptedProtection::Weak => json!([rule(&script.default_branch, maintainers(), true)]),
        ScriptedProtection::Ruleset => json!([
            rule("release/*", maintainers(), true),
            rule(&pattern, nobody(), false)
        ]),
        ScriptedProtection::Forbidden | ScriptedProtection::ForbiddenOff => {
            return message(403, "403 Forbidden");
        }
    };
    ForgeReply::new(200, rules)
}

fn one_branch(script: &ForgeScript, branch: &str) -> ForgeReply {
    if branch != script.default_branch {
        return message(404, "404 Branch Not Found");
    }
    let protected = match script.protection {
        ScriptedProtection::Off | ScriptedProtection::ForbiddenOff => false,
        ScriptedProtection::On
        | ScriptedProtection::Weak
        | ScriptedProtection::Ruleset
        | ScriptedProtection::Forbidden => true,
    };
    ForgeReply::new(
        200,
        json!({ "name": branch, "merged": false, "protected": protected, "default": true }),
    )
}

fn list(script: &ForgeScript, state: &ForgeState, incoming: &IncomingRequest) -> Value {
    let number = |name: &str, default: usize| {
        let given = incoming.parameter(name).and_then(|value| value.parse().ok());
        given.unwrap_or(default).max(1)
    };
    let (per_page, page) = (number("per_page", 20), number("page", 1));
    let wanted = incoming.parameter("state").unwrap_or("all");
    let source = incoming.parameter("source_branch");
    let target = incoming.parameter("target_branch");
    let found = state.requests.iter().rev().filter(|request| {
        let is_wanted = wanted == "all" || wanted == word(request.state);
        let has_source = source.is_none_or(|source| request.head == source);
        is_wanted && has_source && target.is_none_or(|target| request.base == target)
    });
    let page = found.skip((page - 1) * per_page).take(per_page);
    page.map(|request| merge_request(script, request)).collect()
}

fn create(script: &ForgeScript, state: &mut ForgeState, incoming: &IncomingRequest) -> ForgeReply {
    let body: Value = serde_json::from_slice(&incoming.body).unwrap_or_default();
    let field = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    for name in ["title", "source_branch", "target_branch"] {
        if field(name).is_empty() {
            return ForgeReply::new(400, json!({ "error": format!("{name} is missing") }));
        }
    }
    let (head, base) = (field("source_branch"), field("target_branch"));
    if let Some(existing) = state.open_between(&head, &base) {
        let message = format!(
            "Another open merge request already exists for this source branch: !{}",
            existing.number
        );
        return ForgeReply::new(409, json!({ "message": [message] }));
    }
    let request = state.add(ScriptedRequest {
        head,
        base,
        title: field("title"),
        body: field("description"),
        fork: false,
    });
    ForgeReply::new(201, merge_request(script, request))
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
        return message(404, "404 Not found");
    };
    if let Some(title) = body["title"].as_str() {
        title.clone_into(&mut request.title);
    }
    if let Some(text) = body["description"].as_str() {
        text.clone_into(&mut request.body);
    }
    ForgeReply::new(200, merge_request(script, request))
}

fn one_project(script: &ForgeScript) -> Value {
    json!({
        "id": PROJECT,
        "path_with_namespace": script.project,
        "web_url": format!("https://gitlab.com/{}", script.project),
        "default_branch": script.default_branch,
        "visibility": "private",
    })
}

fn merge_request(script: &ForgeScript, request: &HeldRequest) -> Value {
    json!({
        "id": 1_000 + request.number,
        "iid": request.number,
        "project_id": PROJECT,
        "title": request.title,
        "description": request.body,
        "state": word(request.state),
        "source_branch": request.head,
        "target_branch": request.base,
        "source_project_id": if request.fork { FORK } else { PROJECT },
        "target_project_id": PROJECT,
        "draft": false,
        "web_url": format!("https://gitlab.com/{}/-/merge_requests/{}", script.project, request.number),
    })
}

fn word(state: HeldState) -> &'static str {
    match state {
        HeldState::Open => "opened",
        HeldState::Merged => "merged",
        HeldState::Closed => "closed",
    }
}

fn message(status: u16, text: &str) -> ForgeReply {
    ForgeReply::new(status, json!({ "message": text }))
}
