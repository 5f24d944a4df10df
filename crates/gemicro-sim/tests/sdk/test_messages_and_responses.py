"""The official SDK of Anthropic (Messages) and that of OpenAI (Responses) against the simulator, unchanged:
test_messages_and_responses.py URL. Started by tests/it/sdk.rs."""

import sys
import traceback

import anthropic
import openai

BASE = sys.argv[1]
CLAUDE = "claude-opus-4-8"
GPT = "gpt-5.5-codex"
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

claude = anthropic.Anthropic(base_url=BASE, api_key="sim-key", max_retries=0)
patient_claude = anthropic.Anthropic(base_url=BASE, api_key="sim-key", max_retries=2)
gpt = openai.OpenAI(base_url=f"{BASE}/v1", api_key="sim-key", max_retries=0)
patient_gpt = openai.OpenAI(base_url=f"{BASE}/v1", api_key="sim-key", max_retries=2)


def say(text, **more):
    return {"model": CLAUDE, "max_tokens": 500, "messages": [{"role": "user", "content": text}], **more}


def ask(given, **more):
    return {"model": GPT, "input": given, **more}


def raises(kind, action, **expected):
    try:
        action()
    except kind as error:
        for name, value in expected.items():
            assert getattr(error, name) == value, (name, getattr(error, name), error)
        return error
    raise AssertionError(f"expected {kind}")


def messages():
    answer = claude.messages.create(**say("hello"))
    assert answer.content[0].text == "You said: hello", answer
    assert (answer.stop_reason, answer.usage.input_tokens) == ("end_turn", 2), answer
    assert answer._request_id.startswith("req_sim"), answer
    thought = claude.messages.create(**say("hello", max_tokens=2000, thinking={"type": "enabled", "budget_tokens": 1024}))
    assert [block.type for block in thought.content] == ["thinking", "text"], thought
    bearer = anthropic.Anthropic(base_url=BASE, auth_token="sim-token", max_retries=0)
    assert bearer.messages.create(**say("hello")).content[0].text == "You said: hello"
    counted = claude.messages.count_tokens(model=CLAUDE, messages=[{"role": "user", "content": "hello"}])
    assert counted.input_tokens == 2, counted
    listed = [model.id for model in claude.models.list(limit=2)]
    assert CLAUDE in listed and len(listed) > 2, listed
    assert claude.models.retrieve(CLAUDE).type == "model"


def messages_streamed():
    with claude.messages.stream(**say("hello")) as stream:
        assert "".join(stream.text_stream) == "You said: hello"
        final = stream.get_final_message()
    assert (final.stop_reason, final.usage.output_tokens) == ("end_turn", 6), final
    kinds = [event.type for event in claude.messages.create(**say("hello"), stream=True)]
    assert kinds[0] == "message_start" and kinds[-1] == "message_stop" and "message_delta" in kinds, kinds
    with claude.messages.stream(**say("noisy")) as stream:
        assert stream.get_final_text() == "one two three"


def messages_with_tools():
    tools = [{"name": "get_weather", "description": "d", "input_schema": WEATHER}]
    with claude.messages.stream(**say("weather?", tools=tools)) as stream:
        first = stream.get_final_message()
    assert first.stop_reason == "tool_use", first
    call = first.content[-1]
    assert (call.type, call.name, call.input) == ("tool_use", "get_weather", {"city": "Paris"}), call
    assert claude.messages.create(**say("weather?", tools=tools)).content[-1].input == {"city": "Paris"}
    turns = [
        {"role": "user", "content": "weather?"},
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "rain"}]},
    ]
    second = claude.messages.create(model=CLAUDE, max_tokens=100, tools=tools, messages=turns)
    assert second.content[0].text == "You went on: rain", second
    lost = turns[:2] + [{"role": "user", "content": "and?"}]
    raises(anthropic.BadRequestError, lambda: claude.messages.create(model=CLAUDE, max_tokens=9, messages=lost))


def messages_that_fail():
    error = raises(anthropic.RateLimitError, lambda: claude.messages.create(**say("slow down")), status_code=429)
    assert error.response.headers["retry-after"] == "0" and error.type == "rate_limit_error", error
    assert patient_claude.messages.create(**say("once more, Claude")).content[0].text.startswith("You said")
    raises(anthropic.InternalServerError, lambda: claude.messages.create(**say("unavailable")), status_code=503)
    raises(anthropic.NotFoundError, lambda: claude.messages.create(**{**say("x"), "model": "gemini"}), type="not_found_error")
    raises(anthropic.BadRequestError, lambda: claude.messages.create(**say("x", max_tokens=0)))
    stranger = anthropic.Anthropic(base_url=BASE, api_key="invalid")
    raises(anthropic.AuthenticationError, lambda: stranger.messages.create(**say("x")), type="authentication_error")
    error = raises(anthropic.APIStatusError, lambda: list(claude.messages.create(**say("fail late"), stream=True)))
    assert "it broke" in str(error), error
    cut = raises(Exception, lambda: list(claude.messages.create(**say("break in the middle"), stream=True)))
    print("   a cut stream raises", type(cut).__module__, type(cut).__name__)
    assert claude.messages.create(**say("too long")).stop_reason == "max_tokens"
    assert claude.messages.create(**say("forbidden")).stop_reason == "refusal"


def responses():
    answer = gpt.responses.create(**ask("hello"))
    assert (answer.status, answer.output_text) == ("completed", "You said: hello"), answer
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (2, 6), answer.usage
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    shape = {"format": {"type": "json_schema", "name": "n", "schema": schema}}
    assert gpt.responses.create(**ask("as json", text=shape)).output_text == '{"n":0}'
    on = gpt.responses.create(**ask("more", previous_response_id=answer.id))
    assert on.output_text == "You went on: more", on


def responses_streamed():
    events = list(gpt.responses.create(**ask("hello"), stream=True))
    kinds = [event.type for event in events]
    assert kinds[:2] == ["response.created", "response.in_progress"] and kinds[-1] == "response.completed", kinds
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == "You said: hello"
    assert [event.sequence_number for event in events] == list(range(len(events)))
    with gpt.responses.stream(**ask("hello", reasoning={"summary": "auto"})) as stream:
        for _ in stream:
            pass
        final = stream.get_final_response()
    assert final.output_text == "You said: hello" and final.output[0].summary[0].text == "I think.", final
    noisy = list(gpt.responses.create(**ask("noisy"), stream=True))
    assert "".join(e.delta for e in noisy if e.type == "response.output_text.delta") == "one two three"


def responses_with_tools():
    tools = [{"type": "function", "name": "get_weather", "parameters": WEATHER, "strict": False}]
    first = gpt.responses.create(**ask("weather?", tools=tools))
    call = first.output[-1]
    assert (call.type, call.name, call.arguments) == ("function_call", "get_weather", '{"city":"Paris"}'), call
    with gpt.responses.stream(**ask("weather?", tools=tools)) as stream:
        for _ in stream:
            pass
        assert stream.get_final_response().output[-1].arguments == '{"city":"Paris"}'
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
    stored = gpt.responses.create(**ask([result], previous_response_id=first.id, tools=tools))
    assert stored.output_text == "You went on: rain", stored
    whole = [{"role": "user", "content": "weather?"}, call, result]
    assert gpt.responses.create(**ask(whole, tools=tools, store=False)).output_text == "You went on: rain"


def responses_that_fail():
    error = raises(openai.RateLimitError, lambda: gpt.responses.create(**ask("slow down")), code="rate_limit_exceeded")
    assert error.response.headers["retry-after"] == "0", error
    assert patient_gpt.responses.create(**ask("once more, GPT")).output_text.startswith("You said")
    raises(openai.InternalServerError, lambda: gpt.responses.create(**ask("unavailable")), status_code=503)
    raises(openai.NotFoundError, lambda: gpt.responses.create(model="nobody", input="x"), code="model_not_found")
    raises(openai.BadRequestError, lambda: gpt.responses.create(model=GPT, input=[]), param="input")
    stranger = openai.OpenAI(base_url=f"{BASE}/v1", api_key="invalid")
    raises(openai.AuthenticationError, lambda: stranger.responses.create(**ask("x")))
    late = list(gpt.responses.create(**ask("fail late"), stream=True))[-1]
    assert late.type == "response.failed" and late.response.error.message == "it broke", late
    cut = gpt.responses.create(**ask("too long"))
    assert (cut.status, cut.incomplete_details.reason) == ("incomplete", "max_output_tokens"), cut


TESTS = [
    messages,
    messages_streamed,
    messages_with_tools,
    messages_that_fail,
    responses,
    responses_streamed,
    responses_with_tools,
    responses_that_fail,
]
failed = 0
for test in TESTS:
    try:
        test()
        print("ok", test.__name__)
    except Exception as error:
        failed += 1
        traceback.print_exc()
        print("FAILED", test.__name__, repr(error)[:2000])
if failed:
    sys.exit(1)
print("all passed")
