"""The official SDKs of Google and OpenAI against the simulator, unchanged: test_sdk.py URL. Started by tests/it/sdk.rs."""

import sys
import time

import openai
from google import genai
from google.genai import errors, types

MODEL = "gemini-3.8-flash"
BASE = sys.argv[1]


def connect(key="sim-key", version=None, attempts=1):
    options = types.HttpOptions(
        base_url=BASE, api_version=version, retry_options=types.HttpRetryOptions(attempts=attempts)
    )
    return genai.Client(api_key=key, http_options=options)


client = connect()
# A client closes its connections when it is collected, so each is kept.
beta_client = connect(version="v1beta")
stranger = connect("invalid")
patient = connect(attempts=3)


def texts(events):
    found = [event.delta for event in events if event.event_type == "step.delta"]
    return "".join(delta.text for delta in found if delta.type == "text")


def buffered():
    answer = client.interactions.create(model=MODEL, input="hello", generation_config={"thinking_summaries": "auto"})
    assert answer.status == "completed", answer
    assert answer.output_text == "You said: hello", answer
    assert [step.type for step in answer.steps] == ["thought", "model_output"], answer
    assert answer.usage.total_input_tokens == 2, answer.usage
    fetched = client.interactions.get(answer.id)
    assert [step.type for step in fetched.steps] == ["user_input", "thought", "model_output"], fetched
    again = client.interactions.get(answer.id, include_input=True)
    assert again.input[0].content[0].text == "hello", again
    client.interactions.delete(answer.id)
    fails(lambda: client.interactions.get(answer.id), 404, "not_found")


def unstored():
    answer = client.interactions.create(model=MODEL, input="hello", store=False)
    assert answer.output_text == "You said: hello" and not answer.id, answer
    events = list(client.interactions.create(model=MODEL, input="hello", store=False, stream=True))
    assert texts(events) == "You said: hello", events


def streamed():
    events = list(client.interactions.create(model=MODEL, input="hello", stream=True))
    kinds = [event.event_type for event in events]
    assert kinds[0] == "interaction.created" and kinds[-1] == "interaction.completed", kinds
    assert texts(events) == "You said: hello", events
    assert events[-1].interaction.usage.total_output_tokens == 4, events[-1]
    assert all(event.event_id for event in events), events
    replay = list(client.interactions.get(events[0].interaction.id, stream=True, last_event_id=events[6].event_id))
    assert [event.event_id for event in replay] == [event.event_id for event in events[7:]], replay


def noisy():
    events = list(client.interactions.create(model=MODEL, input="noisy", stream=True))
    known = [event for event in events if getattr(event, "event_type", None) in ("step.delta", "interaction.completed")]
    print("   an unknown event becomes", type(events[1]).__name__)
    assert texts(known) == "one two three", events
    assert client.interactions.create(model=MODEL, input="noisy").output_text == "one two three"
    chunks = list(client.models.generate_content_stream(model=MODEL, contents="noisy"))
    assert "".join(chunk.text or "" for chunk in chunks) == "one two three", chunks
    assert client.models.generate_content(model=MODEL, contents="noisy").text == "one two three"


def resumed():
    seen = []
    try:
        for event in client.interactions.create(model=MODEL, input="break in the middle", stream=True):
            seen.append(event)
        raise AssertionError("the stream did not break")
    except AssertionError:
        raise
    except Exception as error:
        print("   a cut stream raises", type(error).__module__, type(error).__name__)
    assert texts(seen) == "one two ", seen
    rest = list(
        client.interactions.get(seen[0].interaction.id, stream=True, last_event_id=seen[-1].event_id)
    )
    assert texts(seen + rest) == "one two three", rest


def chained():
    first = client.interactions.create(model=MODEL, input="hello")
    second = client.interactions.create(model=MODEL, input="more", previous_interaction_id=first.id)
    assert second.output_text == "You went on: more", second
    assert second.previous_interaction_id == first.id, second
    assert second.usage.total_input_tokens == 2 + 4 + 1, second.usage


def functions():
    tool = {"type": "function", "name": "get_weather", "description": "d", "parameters": {"type": "object"}}
    first = client.interactions.create(model=MODEL, input="weather?", tools=[tool])
    assert first.status == "requires_action", first
    call = first.steps[-1]
    assert (call.type, call.name, call.arguments) == ("function_call", "get_weather", {"city": "Paris"}), call
    second = client.interactions.create(
        model=MODEL,
        previous_interaction_id=first.id,
        tools=[tool],
        input=[{"type": "function_result", "call_id": call.id, "name": call.name, "result": "rain"}],
    )
    assert second.output_text == "You went on: rain", second
    events = list(client.interactions.create(model=MODEL, input="weather?", tools=[tool], stream=True))
    pieces = [e.delta.arguments for e in events if e.event_type == "step.delta" and e.delta.type == "arguments_delta"]
    assert "".join(pieces) == '{"city":"Paris"}', events
    assert events[-1].interaction.status == "requires_action", events[-1]


def background():
    running = client.interactions.create(model=MODEL, input="in the background", background=True)
    assert running.status == "in_progress", running
    done = poll(running.id)
    assert (done.status, done.output_text) == ("completed", "Done at last."), done
    stuck = client.interactions.create(model=MODEL, input="never", background=True)
    assert client.interactions.cancel(stuck.id).status == "cancelled"
    assert client.interactions.get(stuck.id).status == "cancelled"


def agent():
    running = client.interactions.create(
        agent="deep-research-preview-04-2026",
        input="Why?",
        background=True,
        agent_config={"type": "deep-research", "thinking_summaries": "auto"},
    )
    done = poll(running.id)
    kinds = [step.type for step in done.steps]
    assert kinds == ["user_input", "thought", "google_search_call", "google_search_result", "model_output"], done
    content = done.steps[-1].content[0]
    note = content.annotations[0]
    assert content.text.encode()[note.start_index : note.end_index].decode() == "a finding", note


def poll(name):
    for _ in range(200):
        found = client.interactions.get(name)
        if found.status != "in_progress":
            return found
        time.sleep(0.02)
    raise AssertionError("it never ended")


def structured():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    answer = client.interactions.create(
        model=MODEL,
        input="as json",
        response_format={"type": "text", "mime_type": "application/json", "schema": schema},
    )
    assert answer.output_text == '{"n":0}', answer
    config = types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=schema)
    content = client.models.generate_content(model=MODEL, contents="as json", config=config)
    assert content.parsed == {"n": 0} or content.text == '{"n":0}', content


def contents():
    answer = client.models.generate_content(model=MODEL, contents="hello")
    assert answer.text == "You said: hello", answer
    assert answer.candidates[0].finish_reason == types.FinishReason.STOP, answer
    counted = client.models.count_tokens(model=MODEL, contents="hello")
    assert counted.total_tokens == answer.usage_metadata.prompt_token_count == 2, counted
    chunks = list(client.models.generate_content_stream(model=MODEL, contents="hello"))
    assert "".join(chunk.text or "" for chunk in chunks) == "You said: hello", chunks
    assert len(chunks) == 3 and chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP, chunks
    called = client.models.generate_content(
        model=MODEL,
        contents="weather",
        config=types.GenerateContentConfig(automatic_function_calling={"disable": True}),
    )
    assert called.function_calls[0].name == "get_weather", called
    blocked = client.models.generate_content(model=MODEL, contents="forbidden")
    assert not blocked.candidates and blocked.prompt_feedback.block_reason == types.BlockedReason.SAFETY, blocked
    cut = client.models.generate_content(model=MODEL, contents="too long")
    assert cut.candidates[0].finish_reason == types.FinishReason.MAX_TOKENS and cut.text == "one ", cut


def models():
    listed = [model.name for model in client.models.list()]
    assert f"models/{MODEL}" in listed and "models/gemini-flash-latest" not in listed, listed
    beta = [model.name for model in beta_client.models.list(config={"page_size": 3})]
    assert "models/gemini-flash-latest" in beta and len(beta) > 10, beta
    one = client.models.get(model=MODEL)
    assert (one.input_token_limit, one.output_token_limit) == (1048576, 65536), one


def failures():
    create = lambda text, **more: lambda: client.interactions.create(model=MODEL, input=text, **more)
    fails(create("unavailable"), 503, "unavailable")
    fails(create("no more today"), 429, "quota_exceeded")
    fails(create("proxy page"), 502, None)
    fails(create("x", labels={"BAD": "x"}), 400, "invalid_request")
    fails(create("x", extra_body={"top_k": 1}), 400, "parameter_unknown")
    fails(lambda: client.interactions.create(model="gemini-9", input="x"), 404, "model_not_found")
    fails(lambda: stranger.interactions.create(model=MODEL, input="x"), 400, "invalid_request")
    fails(lambda: client.interactions.cancel("v1_none"), 404, "not_found")
    retried = patient.interactions.create(model=MODEL, input="too fast")
    assert retried.output_text == "You said: too fast", retried
    late = list(client.interactions.create(model=MODEL, input="fail late", stream=True))
    assert late[-1].event_type == "error" and late[-1].error.message == "it broke", late[-1]
    failed = client.interactions.create(model=MODEL, input="fail late")
    assert failed.status == "failed" and failed.errors[0].message == "it broke", failed
    generate = lambda text: lambda: client.models.generate_content(model=MODEL, contents=text)
    for text, status, name in [
        ("unavailable", 503, "UNAVAILABLE"),
        ("no more today", 429, "RESOURCE_EXHAUSTED"),
    ]:
        try:
            generate(text)()
            raise AssertionError(text)
        except errors.APIError as error:
            assert (error.code, error.status) == (status, name), error
    try:
        stranger.models.generate_content(model=MODEL, contents="x")
        raise AssertionError("the key was accepted")
    except errors.ClientError as error:
        assert error.code == 400 and "API_KEY_INVALID" in str(error.details), error


def fails(action, status, code):
    try:
        action()
    except Exception as error:
        found = getattr(error, "status_code", None) or getattr(error, "code", None)
        assert found == status, (status, found, type(error), error)
        if code is not None:
            assert code in repr(getattr(error, "body", "")) + repr(error) + str(getattr(error, "details", "")), (
                code,
                type(error),
                getattr(error, "body", None),
            )
        print("  ", status, "raises", type(error).__module__, type(error).__name__)
        return
    raise AssertionError(f"expected {status}")


def openai_chats():
    client = openai.OpenAI(base_url=f"{BASE}/v1", api_key="sim-key", max_retries=0)
    hello = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}]}
    answer = client.chat.completions.create(**hello)
    assert answer.choices[0].message.content == "You said: hello", answer
    assert (answer.choices[0].finish_reason, answer.usage.prompt_tokens) == ("stop", 2), answer
    chunks = list(client.chat.completions.create(**hello, stream=True, stream_options={"include_usage": True}))
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert said == "You said: hello" and chunks[-1].usage.completion_tokens > 0, chunks
    assert MODEL in [model.id for model in client.models.list()]
    say = lambda text: {"model": MODEL, "messages": [{"role": "user", "content": text}]}
    noisy = list(client.chat.completions.create(**say("noisy"), stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in noisy) == "one two three", noisy
    called = client.chat.completions.create(**say("weather")).choices[0]
    assert (called.finish_reason, called.message.tool_calls[0].function.name) == ("tool_calls", "get_weather"), called
    result = {"role": "tool", "tool_call_id": called.message.tool_calls[0].id, "content": "rain"}
    turns = [*say("weather")["messages"], called.message, result]
    rain = client.chat.completions.create(model=MODEL, messages=turns).choices[0]
    assert (rain.finish_reason, rain.message.content) == ("stop", "You went on: rain"), rain
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    shaped = client.chat.completions.create(
        **say("as json"), response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    )
    assert shaped.choices[0].message.content == '{"n":0}', shaped
    for text, kind, code in [
        ("no more today", openai.RateLimitError, "insufficient_quota"),
        ("unavailable", openai.InternalServerError, None),
        ("forbidden", openai.BadRequestError, "content_filter"),
    ]:
        try:
            client.chat.completions.create(**say(text))
            raise AssertionError(text)
        except openai.APIStatusError as error:
            assert isinstance(error, kind) and error.code == code, (text, type(error), error.code)
    try:
        client.chat.completions.create(**say("slow down"))
        raise AssertionError("no 429")
    except openai.RateLimitError as error:
        assert error.code == "rate_limit_exceeded" and error.response.headers["retry-after"] == "0", error
    patient = openai.OpenAI(base_url=f"{BASE}/v1", api_key="sim-key", max_retries=2)
    assert patient.chat.completions.create(**say("once more")).choices[0].message.content == "You said: once more"
    try:
        list(client.chat.completions.create(**say("fail late"), stream=True))
        raise AssertionError("no failure")
    except openai.APIError as error:
        assert "it broke" in str(error), error
    try:
        openai.OpenAI(base_url=f"{BASE}/v1", api_key="invalid").models.list()
        raise AssertionError("the key was accepted")
    except openai.AuthenticationError:
        pass


TESTS = [buffered, unstored, streamed, noisy, resumed, chained, functions, background, agent, structured, contents, models, failures, openai_chats]
failed = 0
for test in TESTS:
    try:
        test()
        print("ok", test.__name__)
    except Exception as error:
        failed += 1
        import traceback

        traceback.print_exc()
        print("FAILED", test.__name__, repr(error)[:2000])
if failed:
    sys.exit(1)
print("all passed")
