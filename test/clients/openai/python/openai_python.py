import asyncio
import threading
import time
import urllib.request
import uuid

import openai
from harness import BASE_URL, EMBEDDING_MODEL, MODEL, PIXEL, UNICODE, WEATHER_TOOL
from harness import ask, messages, raised, retried, run, scenario
from pydantic import BaseModel

RESPONSE_TOOL = {"type": "function", "name": "get_weather", "parameters": WEATHER_TOOL["function"]["parameters"]}

client = openai.OpenAI(max_retries=0, timeout=20)
retrying = openai.OpenAI(timeout=20)


class City(BaseModel):
    city: str
    population: int


def complete(name, **options):
    return client.chat.completions.create(model=MODEL, messages=messages(name), **options)


@scenario("plain")
def plain():
    result = complete("plain")
    assert result.choices[0].message.content == "Hello world"
    assert result.choices[0].finish_reason == "stop"
    assert result.model == MODEL


@scenario("unicode")
def unicode():
    assert complete("unicode").choices[0].message.content == UNICODE


@scenario("usage")
def usage():
    result = complete("plain").usage
    assert (result.prompt_tokens, result.completion_tokens, result.total_tokens) == (11, 7, 18)
    assert result.prompt_tokens_details.cached_tokens == 3
    assert result.completion_tokens_details.reasoning_tokens == 2


@scenario("streaming")
def streaming():
    chunks = list(complete("unicode", stream=True))
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == UNICODE
    assert chunks[0].choices[0].delta.role == "assistant"
    assert len({c.id for c in chunks}) == 1


@scenario("streaming usage")
def streaming_usage():
    last = list(complete("plain", stream=True, stream_options={"include_usage": True}))[-1]
    assert last.choices == [] and last.usage.total_tokens == 18


@scenario("async streaming")
async def async_streaming():
    async with openai.AsyncOpenAI(max_retries=0) as asynchronous:
        stream = await asynchronous.chat.completions.create(model=MODEL, messages=messages("plain"), stream=True)
        assert "".join([c.choices[0].delta.content or "" async for c in stream]) == "Hello world"


@scenario("tools")
def tools():
    history = messages("tools")
    first = client.chat.completions.create(model=MODEL, messages=history, tools=[WEATHER_TOOL]).choices[0]
    assert first.finish_reason == "tool_calls"
    call = first.message.tool_calls[0]
    assert call.function.name == "get_weather"
    history += [first.message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    second = client.chat.completions.create(model=MODEL, messages=history, tools=[WEATHER_TOOL])
    assert second.choices[0].message.content == "It is sunny."


@scenario("streamed tools")
def streamed_tools():
    with client.chat.completions.stream(model=MODEL, messages=messages("tools"), tools=[WEATHER_TOOL]) as stream:
        message = stream.get_final_completion().choices[0].message
    assert message.tool_calls[0].function.name == "get_weather"


@scenario("parallel tools")
def parallel_tools():
    for stream in [False, True]:
        if stream:
            with client.chat.completions.stream(
                model=MODEL, messages=messages("parallel"), tools=[WEATHER_TOOL], parallel_tool_calls=True
            ) as events:
                calls = events.get_final_completion().choices[0].message.tool_calls
        else:
            calls = complete("parallel", tools=[WEATHER_TOOL]).choices[0].message.tool_calls
        assert [c.function.arguments for c in calls] == ['{"city":"Paris"}', '{"city":"Rome"}']


@scenario("structured output")
def structured():
    result = client.chat.completions.parse(model=MODEL, messages=messages("structured"), response_format=City)
    assert result.choices[0].message.parsed == City(city="Paris", population=2_100_000)


@scenario("passes settings")
def settings():
    result = complete(
        "echo", temperature=0.5, top_p=0.9, stop=["END"], seed=7, user="u", presence_penalty=0.1, frequency_penalty=0.2,
        logit_bias={"50256": -100}, max_completion_tokens=99, reasoning_effort="low", verbosity="low",
        parallel_tool_calls=False, metadata={"a": "b"}, service_tier="flex", prompt_cache_key="k",
    )
    import json

    body = json.loads(result.choices[0].message.content)
    assert body["stop"] == ["END"] and body["max_completion_tokens"] == 99 and body["logit_bias"] == {"50256": -100}
    for name in ["temperature", "top_p", "seed", "user", "presence_penalty", "reasoning_effort", "metadata", "verbosity"]:
        assert name in body, name


@scenario("length")
def length():
    assert complete("length", max_tokens=3).choices[0].finish_reason == "length"
    assert list(complete("length", stream=True))[-1].choices[0].finish_reason == "length"


@scenario("images")
def images():
    parts = [{"type": "text", "text": ask("image")}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    result = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": parts}])
    assert result.choices[0].message.content == "I see it."


@scenario("several choices")
def several_choices():
    assert [c.index for c in complete("choices", n=3).choices] == [0, 1, 2]
    assert {c.choices[0].index for c in complete("choices", n=2, stream=True)} == {0, 1}


@scenario("logprobs")
def logprobs():
    assert complete("logprobs", logprobs=True, top_logprobs=1).choices[0].logprobs.content[0].token == "Hi"


@scenario("reasoning")
def reasoning():
    assert complete("reasoning").choices[0].message.reasoning_content == "Let me think."


@scenario("error 400")
def error_400():
    error = raised(lambda: complete("error400"), openai.BadRequestError)
    assert (error.param, error.code) == ("tools[0]", "invalid_schema")
    raised(lambda: complete("plain", temperature=9), openai.BadRequestError)
    raised(lambda: complete("plain", extra_body={"invented": 1}), openai.BadRequestError)


@scenario("error 401")
def error_401():
    other = openai.OpenAI(api_key="swk_abcdefgh_00000000000000000000000000000000", max_retries=0)
    raised(lambda: other.models.list(), openai.AuthenticationError)
    # If the provider rejects the deployment's key, the key of the caller is not at fault.
    error = raised(lambda: complete("error401"), openai.APIStatusError)
    assert error.status_code == 424
    assert "sk-secret" not in str(error)


@scenario("error 404")
def error_404():
    error = raised(
        lambda: client.chat.completions.create(model="none", messages=messages("plain")), openai.NotFoundError
    )
    assert error.code == "model_not_found"
    missing = raised(lambda: client.post("/nonsense", cast_to=object, body={}), openai.NotFoundError)
    assert missing.code != "model_not_found"


@scenario("error 429")
def error_429():
    error = raised(lambda: complete("error429"), openai.RateLimitError)
    assert error.response.headers["retry-after"] == "30"


@scenario("error 5xx")
def error_5xx():
    raised(lambda: complete("error500"), openai.InternalServerError)
    raised(lambda: list(complete("error500", stream=True)), openai.InternalServerError, openai.APIError)


@scenario("retries")
def retries():
    result = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": retried()}])
    assert result.choices[0].message.content == "Hello world"


@scenario("broken stream")
def broken_stream():
    raised(lambda: list(complete("broken", stream=True)), openai.APIError)


@scenario("embeddings")
def embeddings():
    result = client.embeddings.create(model=EMBEDDING_MODEL, input=["a", "b"])
    assert [e.embedding for e in result.data] == [[0.5, -0.25, 0.125]] * 2
    floats = client.embeddings.create(model=EMBEDDING_MODEL, input="a", encoding_format="float")
    assert floats.data[0].embedding == [0.5, -0.25, 0.125]


@scenario("responses")
def responses():
    first = client.responses.create(model=MODEL, input=ask("plain"))
    assert first.output_text == "Hello world" and first.usage.total_tokens == 18
    second = client.responses.create(model=MODEL, input="And now?", previous_response_id=first.id)
    assert second.previous_response_id == first.id
    assert client.responses.retrieve(first.id).output_text == "Hello world"
    client.responses.delete(first.id)
    raised(lambda: client.responses.retrieve(first.id), openai.NotFoundError)
    parsed = client.responses.parse(model=MODEL, input=ask("structured"), text_format=City)
    assert parsed.output_parsed.city == "Paris"


@scenario("streamed responses")
def streamed_responses():
    with client.responses.stream(model=MODEL, input=ask("unicode")) as stream:
        text = "".join(e.delta for e in stream if e.type == "response.output_text.delta")
        assert text == UNICODE == stream.get_final_response().output_text
    with client.responses.stream(model=MODEL, input=ask("tools"), tools=[RESPONSE_TOOL]) as stream:
        assert stream.get_final_response().output[0].name == "get_weather"


@scenario("reasoning items")
def reasoning_items():
    result = client.responses.create(model=MODEL, input=ask("reasoning"))
    assert [item.type for item in result.output] == ["reasoning", "message"]
    follow_up = [{"role": "user", "content": "x"}, *result.output, {"role": "user", "content": ask("plain")}]
    assert client.responses.create(model=MODEL, input=follow_up).output_text == "Hello world"


@scenario("moderations")
def moderations():
    assert client.moderations.create(input="What a nice day").results[0].flagged is False


@scenario("legacy completions")
def legacy_completions():
    assert client.completions.create(model=MODEL, prompt=ask("plain")).choices[0].text == "Hello world"
    chunks = client.completions.create(model=MODEL, prompt=ask("plain"), stream=True)
    assert "".join(c.choices[0].text for c in chunks if c.choices) == "Hello world"


@scenario("models")
def models():
    assert MODEL in [m.id for m in client.models.list()]
    assert client.models.retrieve(MODEL).id == MODEL


@scenario("cancel")
def cancel():
    stream = complete("endless", stream=True)
    first = next(iter(stream))
    threading.Timer(0.5, lambda: client.post(f"/chat/completions/{first.id}/cancel", cast_to=object)).start()
    started = time.time()
    error = raised(lambda: list(stream), openai.APIError)
    assert error.code == "completion_canceled" and time.time() - started < 4


@scenario("disconnect")
def disconnect():
    stream = complete("endless", stream=True)
    next(iter(stream))
    stream.close()


@scenario("idempotency")
def idempotency():
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    ids = {complete("plain", extra_headers=headers).id for _ in range(2)}
    assert len(ids) == 1


@scenario("concurrency")
async def concurrency():
    async with openai.AsyncOpenAI(max_retries=0) as asynchronous:
        call = lambda: asynchronous.chat.completions.create(model=MODEL, messages=messages("plain"))
        results = await asyncio.gather(*[call() for _ in range(20)])
        assert all(r.choices[0].message.content == "Hello world" for r in results)


@scenario("streamed items")
def streamed_items():
    for name, kinds in [("reasoning", ["reasoning", "message"]), ("parallel", ["function_call"] * 2)]:
        with client.responses.stream(model=MODEL, input=ask(name), tools=[RESPONSE_TOOL]) as stream:
            stream.until_done()
            assert [item.type for item in stream.get_final_response().output] == kinds


@scenario("custom tools")
def custom_tools():
    tools = [{"type": "custom", "name": "run", "description": "Runs a program."}]
    first = client.responses.create(model=MODEL, input=ask("custom"), tools=tools)
    assert first.output[0].type == "custom_tool_call" and first.output[0].input == "print(1)"
    output = {"type": "custom_tool_call_output", "call_id": first.output[0].call_id, "output": "1"}
    second = client.responses.create(model=MODEL, previous_response_id=first.id, input=[output], tools=tools)
    assert second.output_text == "Done."


@scenario("headers")
def headers():
    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=messages("plain"))
    assert raw.headers["x-request-id"] and raw.headers["x-ratelimit-remaining-requests"]
    preflight = urllib.request.Request(
        f"{BASE_URL}/chat/completions", method="OPTIONS", headers={"origin": "https://a.example"}
    )
    assert urllib.request.urlopen(preflight).status == 204


run("openai-python", openai.__version__)
