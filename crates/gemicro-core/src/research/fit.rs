//! How a model request fits the budget that is left.

use gemicro_event::Charge;

use crate::llm::{LlmRequest, worst_case};

/// The shortest output worth paying for.
const MIN_OUTPUT_TOKENS: u64 = 64;

/// The request with the longest output that the room allows; `None` when not even the shortest fits.
pub(super) fn fit(mut request: LlmRequest, room: Charge) -> Option<LlmRequest> {
    loop {
        let cost = worst_case(&request);
        if fits(cost, room) {
            return Some(request);
        }
        let over = cost
            .tokens
            .saturating_sub(room.tokens)
            .max(request.max_output_tokens / 8)
            .max(1);
        let shorter = request.max_output_tokens.saturating_sub(over);
        if shorter < MIN_OUTPUT_TOKENS {
            if request.max_output_tokens <= MIN_OUTPUT_TOKENS {
                return None;
            }
            request.max_output_tokens = MIN_OUTPUT_TOKENS;
        } else {
            request.max_output_tokens = shorter;
        }
    }
}

/// The request with the shortest output worth paying for.
pub(super) fn smallest(request: LlmRequest) -> LlmRequest {
    LlmRequest {
        max_output_tokens: request.max_output_tokens.min(MIN_OUTPUT_TOKENS),
        ..request
    }
}

fn fits(cost: Charge, room: Charge) -> bool {
    cost.tokens <= room.tokens && cost.micro_usd <= room.micro_usd && cost.turns <= room.turns
}

/// An equal share of a room for each of `n`.
pub(super) fn share_of(room: Charge, n: u64) -> Charge {
    // Turns are not shared out: each step takes one.
    Charge {
        tokens: room.tokens / n,
        micro_usd: room.micro_usd / n,
        turns: room.turns,
        ..Charge::ZERO
    }
}

/// The smaller of two rooms, sort by sort.
pub(super) fn smaller(one: Charge, other: Charge) -> Charge {
    Charge {
        tokens: one.tokens.min(other.tokens),
        micro_usd: one.micro_usd.min(other.micro_usd),
        turns: one.turns.min(other.turns),
        ..Charge::ZERO
    }
}
