//! The real CLIs in the real sandbox, against a gateway that always gives the same answer.
//!
//! `GEMICRO_TEST_CLIS` names the folder of their programs (`node_modules/.bin`).

use gemicro_guard::sandbox::Reach;
use gemicro_runner::supervise::VersionCache;
use gemicro_runner::{AgentCli, ClaudeCode, Codex, GeminiHeadless, SandboxMode};

use super::world::{Run, Seen, World, tiers};

const GEMINI: &str = "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hello\"}]},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":1,\"totalTokenCount\":4},\"modelVersion\":\"gemini-2.5-flash\"}\r\n\r\n";
const CLAUDE: &str = "event: message_start
data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}

event: content_block_start
data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}

event: content_block_delta
data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}

event: content_block_stop
data: {\"type\":\"content_block_stop\",\"index\":0}

event: message_delta
data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":1}}

event: message_stop
data: {\"type\":\"message_stop\"}

";
const CODEX: &str = "event: response.created
data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}

event: response.output_item.done
data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"role\":\"assistant\",\"id\":\"i\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\",\"annotations\":[]}]}}

event: response.completed
data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"usage\":{\"input_tokens\":3,\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":1,\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":4}}}

";

#[tokio::test]
#[ignore = "needs the real CLIs: set GEMICRO_TEST_CLIS"]
async fn real_clis_work_inside() {
    let folder = std::env::var("GEMICRO_TEST_CLIS").unwrap();
    let clis: [(Box<dyn AgentCli>, &'static str, &str); 3] = [
        (Box::new(GeminiHeadless::default()), GEMINI, "gemini-2.5-flash"),
        (Box::new(ClaudeCode), CLAUDE, "claude-sonnet-4-5"),
        (Box::new(Codex), CODEX, "gpt-5"),
    ];
    let mut wrong = Vec::new();
    for (cli, answer, model) in &clis {
        for tier in tiers() {
            let world = World::bare();
            std::fs::remove_dir_all(world.path("user/tools")).unwrap();
            std::fs::create_dir(world.path("user/tools")).unwrap();
            std::os::unix::fs::symlink(&folder, world.path("user/tools/bin")).unwrap();
            let run = Run {
                has_gateway: true,
                mode: SandboxMode::WorkspaceWrite,
                model: Some((*model).to_owned()),
                ..Run::new(*tier)
            };
            let seen = Seen {
                serves: Some(*answer),
                ..Seen::default()
            };
            let versions = VersionCache::default();
            let (outcome, _) = world.run_with(cli.as_ref(), run, seen, Some(&versions)).await;
            let record = &outcome.record;
            let text = outcome.result.as_ref().map(|end| end.text.as_str());
            println!("{:?} {tier}: {text:?} in {} ms", cli.kind(), record.duration_ms);
            let is_right =
                text == Ok("hello") && record.survivors == Some(0) && record.reach == Some(Reach::Gateway);
            if !is_right {
                wrong.push(format!("{:?} {tier}: {outcome:#?}", cli.kind()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
