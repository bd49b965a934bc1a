import importlib.metadata
import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from harness import PIXEL, WEATHER_TOOL, ask, compared, messages, raised, run
from pydantic import BaseModel


# The library does not know that the model thinks.
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "allowed_openai_params": ["thinking"]}


class City(BaseModel):
    city: str
    population: int


def complete(target, name, **options):
    fields = {"messages": messages(name), "max_tokens": 2048, "num_retries": 0, "timeout": 20, **options}
    return litellm.completion(
        model=f"anthropic/{target.model}", api_base=target.base_url, api_key=target.api_key, **fields
    )


def describe(response):
    [choice] = response.choices
    calls = [[call.id, call.function.name, call.function.arguments] for call in choice.message.tool_calls or []]
    usage = response.usage
    cached = usage.prompt_tokens_details.cached_tokens
    reasoning = getattr(choice.message, "reasoning_content", None)
    tokens = [usage.prompt_tokens, usage.completion_tokens, cached]
    return [choice.message.content, reasoning, calls, choice.finish_reason, tokens]


def stream(target, name, **options):
    chunks = list(complete(target, name, stream=True, stream_options={"include_usage": True}, **options))
    return describe(litellm.stream_chunk_builder(chunks))


@compared("text")
def text(target):
    return describe(complete(target, "plain"))


@compared("text, streamed")
def streamed(target):
    return stream(target, "unicode")


@compared("parallel tools")
def tools(target):
    return describe(complete(target, "weathers", tools=[WEATHER_TOOL]))


@compared("parallel tools, streamed")
def streamed_tools(target):
    return stream(target, "weathers", tools=[WEATHER_TOOL])


@compared("thinking")
def thinking(target):
    return describe(complete(target, "think", **THINKING))


@compared("thinking, streamed")
def streamed_thinking(target):
    return stream(target, "think", **THINKING)


@compared("settings")
def settings(target):
    options = {"temperature": 0.5, "stop": ["END"], "tools": [WEATHER_TOOL], "tool_choice": "required", "user": "u-1"}
    return json.loads(complete(target, "facts", **options).choices[0].message.content)


@compared("image of bytes")
def image(target):
    parts = [{"type": "text", "text": ask("facts")}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    response = complete(target, "facts", messages=[{"role": "user", "content": parts}])
    return json.loads(response.choices[0].message.content)


@compared("result of a tool")
def tool_result(target):
    call = {"id": "toolu_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
    turns = [
        {"role": "system", "content": "Be polite."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "toolu_1", "content": "sunny"},
        *messages("facts"),
    ]
    response = complete(target, "facts", messages=turns, tools=[WEATHER_TOOL])
    return json.loads(response.choices[0].message.content)


@compared("schema of the answer")
def schema(target):
    return City.model_validate_json(complete(target, "fill", response_format=City).choices[0].message.content).model_dump()


@compared("messages API of the library")
async def messages_api(target):
    response = await litellm.anthropic.messages.acreate(
        model=f"anthropic/{target.model}", api_base=target.base_url, api_key=target.api_key,
        messages=messages("plain"), max_tokens=2048,
    )
    return [response["content"], response["stop_reason"], response["usage"]["output_tokens"]]


for title, name in [("error 400", "error400"), ("error 429", "error429"), ("error 529", "overloaded")]:
    compared(title)(lambda target, name=name: type(raised(lambda: complete(target, name), Exception)).__name__)

if __name__ == "__main__":
    run("litellm, Anthropic", importlib.metadata.version("litellm"))
