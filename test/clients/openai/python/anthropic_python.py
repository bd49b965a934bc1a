import json
import uuid

import anthropic
from anthropic.types import Message
from harness import PIXEL, THROUGH, WEATHER_TOOL, ask, compared, messages, raised, run, scenario
from pydantic import BaseModel

TOOL = {
    "name": "get_weather",
    "description": "Returns the weather of a city.",
    "input_schema": WEATHER_TOOL["function"]["parameters"],
}
PNG = {"type": "base64", "media_type": "image/png", "data": PIXEL.split(",")[1]}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQKJSVFT0YK"}
THINKING = {"type": "enabled", "budget_tokens": 1024}


class City(BaseModel):
    city: str
    population: int


def client(target, **options):
    return anthropic.Anthropic(
        **{"base_url": target.base_url, "api_key": target.api_key, "max_retries": 0, "timeout": 20, **options}
    )


def fields(target, name="plain", **options):
    return {"model": target.model, "max_tokens": 2048, "messages": messages(name), **options}


def create(target, name="plain", **options):
    return client(target).messages.create(**fields(target, name, **options))


def describe(message: Message):
    """Describes an answer without what each service chooses by itself."""
    blocks = []
    for block in message.content:
        block = {key: value for key, value in block.to_dict().items() if value is not None}
        if "signature" in block:
            block["signature"] = block["signature"] != ""
        blocks.append(block)
    usage = message.usage
    tokens = [usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens]
    return [message.type, message.role, message.model, blocks, message.stop_reason, message.stop_sequence, tokens]


def events_of(target, name, **options):
    """Streams an answer. Returns the order of events, and the message that the client puts together."""
    types = []
    with client(target).messages.stream(**fields(target, name, **options)) as stream:
        for event in stream:
            # The number of deltas is up to the service, as are the helper's events between them.
            if event.type not in [*types[-1:], "ping", "text", "input_json", "thinking", "signature"]:
                types.append(event.type)
        return types, describe(stream.get_final_message())


def facts(target, **options):
    """Returns what the model learns from a request."""
    content = create(target, "facts", **options).content[0].text
    return json.loads(content)


def failure(target, call, *types):
    error = raised(call, *(types or [anthropic.APIStatusError]))
    return [type(error).__name__, error.status_code, error.type, bool(error.request_id)]


def both(name, title, **options):
    """Compares an answer as a whole and as a stream."""
    compared(title)(lambda target: describe(create(target, name, **options)))
    compared(f"{title}, streamed")(lambda target: events_of(target, name, **options))


both("plain", "text")
both("unicode", "unicode")
both("length", "maximum tokens")
both("stopped", "stop sequence", stop_sequences=["END"])
both("filtered", "refusal")
both("weather", "tool call", tools=[TOOL])
both("weathers", "parallel tools", tools=[TOOL])
both("look", "text and tool call", tools=[TOOL])
both("think", "thinking", thinking=THINKING)
both("think", "thinking and tool call", thinking=THINKING, tools=[TOOL])
both("think", "hidden thinking")


@compared("events of the API")
def raw_events(target):
    types = [event.type for event in create(target, "look", tools=[TOOL], stream=True)]
    return [kind for kind, previous in zip(types, [None, *types]) if kind != previous and kind != "ping"]


@compared("text stream")
def text_stream(target):
    with client(target).messages.stream(**fields(target, "unicode")) as stream:
        return "".join(stream.text_stream)


@compared("input of a streamed tool call")
def streamed_input(target):
    with client(target).messages.stream(**fields(target, "weather", tools=[TOOL])) as stream:
        return "".join(event.partial_json for event in stream if event.type == "input_json")


@compared("asynchronous client")
async def asynchronous(target):
    async with anthropic.AsyncAnthropic(base_url=target.base_url, api_key=target.api_key) as other:
        async with other.messages.stream(**fields(target)) as stream:
            return describe(await stream.get_final_message())


@compared("system prompt")
def system(target):
    return facts(target, system="Answer in French.")


@compared("system prompt of blocks")
def system_blocks(target):
    blocks = [{"type": "text", "text": text} for text in ["Answer in French.", "Be polite."]]
    return facts(target, system=blocks)


@compared("system message in the conversation")
def system_message(target):
    turns = [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Be polite."}, *messages("facts")]
    return facts(target, messages=turns)


@compared("several turns")
def turns(target):
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}]
    return facts(target, messages=[*history, *messages("facts")])


@compared("beginning of the answer")
def prefill(target):
    return facts(target, messages=[*messages("facts"), {"role": "assistant", "content": "It is"}])


def content(*blocks):
    return [{"role": "user", "content": [*blocks, {"type": "text", "text": ask("facts")}]}]


@compared("image of bytes")
def image(target):
    return facts(target, messages=content({"type": "image", "source": PNG}))


@compared("image of an address")
def image_address(target):
    source = {"type": "url", "url": "https://example.com/lamp.png"}
    return facts(target, messages=content({"type": "image", "source": source}))


@compared("PDF document")
def pdf(target):
    return facts(target, messages=content({"type": "document", "source": PDF, "title": "Lease"}))


@compared("text document")
def text_document(target):
    source = {"type": "text", "media_type": "text/plain", "data": "The lease ends in May."}
    block = {"type": "document", "source": source, "title": "Lease", "citations": {"enabled": False}}
    return facts(target, messages=content(block))


@compared("settings")
def settings(target):
    return facts(
        target, stop_sequences=["END"], metadata={"user_id": "u-1"}, service_tier="auto",
        extra_body={"temperature": 0.5, "top_p": 0.9, "top_k": 40},
    )


@compared("budget of thinking")
def budget(target):
    return facts(target, thinking={"type": "enabled", "budget_tokens": 10_000}, max_tokens=12_000)


@compared("adaptive thinking and effort")
def effort(target):
    return facts(target, thinking={"type": "adaptive"}, output_config={"effort": "high"})


@compared("cache control")
def cache_control(target):
    cached = {"cache_control": {"type": "ephemeral"}}
    text = {"type": "text", "text": ask("facts"), **cached}
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    turn = [{"role": "user", "content": [text]}]
    return facts(target, system=system, messages=turn, tools=[{**TOOL, **cached}], cache_control={"type": "ephemeral"})


for title, choice in {
    "any tool": {"type": "any"},
    "one tool": {"type": "tool", "name": "get_weather"},
    "no tool": {"type": "none"},
    "one call at a time": {"type": "auto", "disable_parallel_tool_use": True},
}.items():
    compared(f"choice of {title}" if "tool" in title else title)(
        lambda target, choice=choice: facts(target, tools=[TOOL], tool_choice=choice)
    )


@compared("strict tool")
def strict_tool(target):
    schema = {**TOOL["input_schema"], "additionalProperties": False}
    return facts(target, tools=[{**TOOL, "strict": True, "input_schema": schema}])


def continue_conversation(target, name, result, **options):
    first = create(target, name, tools=[TOOL], **options)
    calls = [block for block in first.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call.id, **result} for call in calls]
    history = [*messages(name), {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    return create(target, messages=history, tools=[TOOL], **options)


@compared("result of a tool")
def tool_result(target):
    return describe(continue_conversation(target, "look", {"content": "sunny"}))


@compared("results of parallel tools")
def parallel_results(target):
    return describe(continue_conversation(target, "weathers", {"content": [{"type": "text", "text": "sunny"}]}))


@compared("failed tool")
def failed_tool(target):
    return describe(continue_conversation(target, "weather", {"content": "no network", "is_error": True}))


@compared("empty result of a tool")
def empty_result(target):
    return describe(continue_conversation(target, "weather", {}))


@compared("thinking sent back with its signature")
def thinking_back(target):
    return describe(continue_conversation(target, "think", {"content": "sunny"}, thinking=THINKING))


def history_of(block, result="sunny"):
    call = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Paris"}}
    return [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": [*block, call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": result}]},
        {"role": "assistant", "content": "Sunny."},
        *messages("facts"),
    ]


@compared("redacted thinking sent back")
def redacted(target):
    turns = history_of([{"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}])
    return facts(target, messages=turns, tools=[TOOL], thinking=THINKING)


@compared("images in the result of a tool")
def result_image(target):
    turns = history_of([], [{"type": "text", "text": "A photo:"}, {"type": "image", "source": PNG}])
    return facts(target, messages=turns, tools=[TOOL])


@compared("schema of the answer")
def schema(target):
    parsed = client(target).messages.parse(**fields(target, "fill"), output_format=City)
    return parsed.parsed_output.model_dump()


@compared("schema of the streamed answer")
def streamed_schema(target):
    with client(target).messages.stream(**fields(target, "fill"), output_format=City) as stream:
        return stream.get_final_message().parsed_output.model_dump()


@compared("beta client")
def beta(target):
    message = client(target).beta.messages.create(**fields(target), betas=["context-1m-2025-08-07"])
    return describe(message)


@compared("beta client, streamed")
def beta_stream(target):
    options = {"betas": ["context-management-2025-06-27"], "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]}}
    with client(target).beta.messages.stream(**fields(target), **options) as stream:
        return describe(stream.get_final_message())


@compared("tool runner")
def tool_runner(target):
    @anthropic.beta_tool
    def get_weather(city: str) -> str:
        """Returns the weather of a city."""
        return f"sunny in {city}"

    runner = client(target).beta.messages.tool_runner(**fields(target, "weather"), tools=[get_weather])
    return [block.text for block in runner.until_done().content]


@compared("count of tokens")
def count_tokens(target):
    options = {"system": "Be brief.", "tools": [TOOL], "thinking": THINKING}
    count = client(target).messages.count_tokens(model=target.model, messages=messages("plain"), **options)
    return count.input_tokens > 10


@compared("bearer token")
def bearer(target):
    other = anthropic.Anthropic(base_url=target.base_url, auth_token=target.api_key, api_key=None, max_retries=0)
    return describe(other.messages.create(**fields(target)))


@compared("id of the request")
def request_id(target):
    response = client(target).messages.with_raw_response.create(**fields(target))
    return [bool(response.headers.get("request-id")), bool(response.parse()._request_id)]


@compared("list of models")
def models(target):
    found = next(model for model in client(target).models.list(limit=100) if model.id == target.model)
    one = client(target).models.retrieve(target.model)
    return [[model.id, model.type, bool(model.display_name), model.created_at.tzinfo is not None] for model in [found, one]]


for title, options in {
    "no messages": {"messages": []},
    "temperature": {"extra_body": {"temperature": 1.5}},
    "maximum of no tokens": {"max_tokens": -1},
    "unknown field": {"extra_body": {"invented": 1}},
    "result without a call": {
        "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}]
    },
    "call without a result": {
        "messages": [*history_of([])[:2], *messages("plain")], "tools": [TOOL]
    },
    "small budget": {"thinking": {"type": "enabled", "budget_tokens": 10}},
    "budget above the maximum": {"thinking": {"type": "enabled", "budget_tokens": 4096}},
}.items():
    compared(f"error 400, {title}")(
        lambda target, options=options: failure(target, lambda: create(target, **options), anthropic.BadRequestError)
    )


@compared("error 400 of the model")
def error_400(target):
    error = raised(lambda: create(target, "error400"), anthropic.BadRequestError)
    return [error.type, error.body["error"]["message"]]


@compared("error 400, streamed")
def error_400_streamed(target):
    return failure(target, lambda: events_of(target, "error400"), anthropic.BadRequestError)


@compared("prompt too long")
def overflow(target):
    return failure(target, lambda: create(target, "overflow"), anthropic.BadRequestError)


@compared("error 401")
def error_401(target):
    other = target._replace(api_key="swk_abcdefgh_00000000000000000000000000000000")
    return failure(target, lambda: create(other), anthropic.AuthenticationError)


@compared("error 404")
def error_404(target):
    return failure(target, lambda: create(target._replace(model="claude-none")), anthropic.NotFoundError)


@compared("error 429")
def error_429(target):
    error = raised(lambda: create(target, "error429"), anthropic.RateLimitError)
    return [error.type, error.response.headers["retry-after"]]


@compared("error 529")
def error_529(target):
    return failure(target, lambda: create(target, "overloaded"))


@compared("error 529, streamed")
def error_529_streamed(target):
    return failure(target, lambda: events_of(target, "overloaded"))


@compared("error 5xx")
def error_500(target):
    return isinstance(raised(lambda: create(target, "error500"), anthropic.APIStatusError), anthropic.InternalServerError)


@compared("error in the stream")
def broken(target):
    error = raised(lambda: events_of(target, "broken"), anthropic.APIError)
    return [type(error).__name__, error.type]


@compared("retries")
def retries(target):
    name = f"retried/{uuid.uuid4()}"
    return describe(client(target, max_retries=2).messages.create(**fields(target, name)))


@compared("timeout")
def timeout(target):
    impatient = client(target, timeout=1)
    return type(raised(lambda: impatient.messages.create(**fields(target, "slow")), anthropic.APIError)).__name__


def refusal(call):
    """Returns the message of an error for what this service does not offer."""
    return raised(call, anthropic.BadRequestError, anthropic.NotFoundError).api_message


@scenario("limits name what to use instead")
def limits():
    other = client(THROUGH)
    search = {"type": "web_search_20250305", "name": "web_search"}
    stored = content({"type": "document", "source": {"type": "file", "file_id": "file_1"}})
    for words, call in {
        "POST /openai/v1/messages": lambda: other.messages.batches.list(),
        "as base64": lambda: other.beta.files.list(),
        "tools that Anthropic defines": lambda: create(THROUGH, tools=[search]),
        "must contain its data": lambda: create(THROUGH, messages=stored),
    }.items():
        message = refusal(call)
        assert words in message, message


if __name__ == "__main__":
    run("anthropic-python", anthropic.__version__)
