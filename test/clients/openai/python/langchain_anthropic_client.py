import importlib.metadata
import json

import anthropic
from harness import PIXEL, ask, compared, raised, run
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

THINKING = {"type": "enabled", "budget_tokens": 1024}


class City(BaseModel):
    city: str
    population: int


@tool
def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return "sunny"


def model(target, **options):
    return ChatAnthropic(
        **{"model": target.model, "base_url": target.base_url, "api_key": target.api_key, "max_retries": 0,
           "max_tokens": 2048, **options}
    )


def describe(message):
    usage = message.usage_metadata
    reason = message.response_metadata.get("stop_reason")
    return [message.text, message.tool_calls, usage["input_tokens"], usage["output_tokens"], reason]


def stream(runnable, name):
    message = None
    for chunk in runnable.stream(ask(name)):
        message = chunk if message is None else message + chunk
    return describe(message)


def facts(runnable, messages):
    return json.loads(runnable.invoke(messages).text)


@compared("text")
def text(target):
    return describe(model(target).invoke(ask("plain")))


@compared("text, streamed")
def streamed(target):
    return stream(model(target), "unicode")


@compared("asynchronous client")
async def asynchronous(target):
    return describe(await model(target).ainvoke(ask("plain")))


@compared("parallel tools")
def tools(target):
    return describe(model(target).bind_tools([get_weather]).invoke(ask("weathers")))


@compared("parallel tools, streamed")
def streamed_tools(target):
    return stream(model(target).bind_tools([get_weather]), "weathers")


@compared("choice of one tool")
def tool_choice(target):
    return facts(model(target).bind_tools([get_weather], tool_choice="get_weather"), ask("facts"))


@compared("result of a tool")
def tool_result(target):
    call = {"id": "toolu_1", "name": "get_weather", "args": {"city": "Paris"}}
    messages = [
        SystemMessage("Be polite."),
        HumanMessage("Weather?"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("no network", tool_call_id="toolu_1", status="error"),
        HumanMessage(ask("facts")),
    ]
    return facts(model(target).bind_tools([get_weather]), messages)


@compared("thinking")
def thinking(target):
    message = model(target, thinking=THINKING).invoke(ask("think"))
    return [describe(message), [block.get("thinking") for block in message.content]]


@compared("schema of the answer")
def schema(target):
    return model(target).with_structured_output(City).invoke(ask("fill")).model_dump()


@compared("schema of the answer, by JSON schema")
def json_schema(target):
    return model(target).with_structured_output(City, method="json_schema").invoke(ask("fill")).model_dump()


@compared("image of bytes")
def image(target):
    content = [{"type": "text", "text": ask("facts")}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    return facts(model(target), [HumanMessage(content)])


@compared("cache control")
def cache_control(target):
    block = {"type": "text", "text": "Be polite.", "cache_control": {"type": "ephemeral"}}
    return facts(model(target), [SystemMessage([block]), HumanMessage(ask("facts"))])


@compared("maximum tokens")
def length(target):
    return describe(model(target).invoke(ask("length")))


@compared("count of tokens")
def count(target):
    return model(target).get_num_tokens_from_messages([HumanMessage("How is the weather today?")]) > 1


for title, name, kind in [
    ("error 400", "error400", anthropic.BadRequestError),
    ("error 429", "error429", anthropic.RateLimitError),
    ("error 529", "overloaded", anthropic.APIStatusError),
]:
    compared(title)(
        lambda target, name=name, kind=kind: type(raised(lambda: model(target).invoke(ask(name)), kind)).__name__
    )

if __name__ == "__main__":
    run("langchain-anthropic", importlib.metadata.version("langchain-anthropic"))
