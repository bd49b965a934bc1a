import importlib.metadata

from harness import MODEL, UNICODE, ask, raised, run, scenario
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.output import NativeOutput
from pydantic_ai.providers.openai import OpenAIProvider

chat_model = OpenAIChatModel(MODEL, provider=OpenAIProvider())


class City(BaseModel):
    city: str
    population: int


def weather_agent(model=chat_model):
    agent = Agent(model)

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Returns the weather of a city."""
        return "sunny"

    return agent


@scenario("plain")
def plain():
    assert Agent(chat_model).run_sync(ask("plain")).output == "Hello world"


@scenario("usage")
def usage():
    result = Agent(chat_model).run_sync(ask("plain"))
    counts = result.usage
    assert (counts.input_tokens, counts.output_tokens) == (11, 7)


@scenario("streaming")
async def streaming():
    async with Agent(chat_model).run_stream(ask("unicode")) as result:
        text = "".join([part async for part in result.stream_text(delta=True)])
    assert text == UNICODE


@scenario("tools")
def tools():
    assert weather_agent().run_sync(ask("tools")).output == "It is sunny."


@scenario("streamed tools")
async def streamed_tools():
    async with weather_agent().run_stream(ask("tools")) as result:
        assert await result.get_output() == "It is sunny."


@scenario("parallel tools")
def parallel_tools():
    assert weather_agent().run_sync(ask("parallel")).output == "Both are sunny."


@scenario("structured output")
def structured():
    for output_type in [City, NativeOutput(City)]:
        assert Agent(chat_model, output_type=output_type).run_sync(ask("structured")).output.city == "Paris"


@scenario("error 400")
def error_400():
    assert raised(lambda: Agent(chat_model).run_sync(ask("error400")), ModelHTTPError).status_code == 400


@scenario("responses")
def responses():
    model = OpenAIResponsesModel(MODEL, provider=OpenAIProvider())
    assert Agent(model).run_sync(ask("plain")).output == "Hello world"
    assert weather_agent(model).run_sync(ask("tools")).output == "It is sunny."


run("pydantic-ai", importlib.metadata.version("pydantic-ai-slim"))
