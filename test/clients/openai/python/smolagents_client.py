import importlib.metadata

import openai
from harness import API_KEY, BASE_URL, MODEL, UNICODE, ask, raised, run, scenario
from smolagents import ChatMessage, OpenAIModel, tool

model = OpenAIModel(model_id=MODEL, api_base=BASE_URL, api_key=API_KEY)


@tool
def get_weather(city: str) -> str:
    """Returns the weather of a city.

    Args:
        city: Name of the city.
    """
    return "sunny"


def message(name):
    return [ChatMessage(role="user", content=[{"type": "text", "text": ask(name)}])]


@scenario("plain")
def plain():
    assert model.generate(message("plain")).content == "Hello world"


@scenario("usage")
def usage():
    assert model.generate(message("plain")).token_usage.input_tokens == 11


@scenario("streaming")
def streaming():
    assert "".join(d.content or "" for d in model.generate_stream(message("unicode"))) == UNICODE


@scenario("tools")
def tools():
    assert model.generate(message("tools"), tools_to_call_from=[get_weather]).tool_calls[0].function.name == "get_weather"


@scenario("streamed tools")
def streamed_tools():
    deltas = list(model.generate_stream(message("tools"), tools_to_call_from=[get_weather]))
    assert any(d.tool_calls for d in deltas)


@scenario("error 400")
def error_400():
    raised(lambda: model.generate(message("error400")), openai.BadRequestError)


run("smolagents", importlib.metadata.version("smolagents"))
