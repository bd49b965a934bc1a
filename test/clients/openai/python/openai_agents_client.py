import importlib.metadata

import agents
import openai
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
from harness import MODEL, UNICODE, ask, raised, run, scenario
from pydantic import BaseModel

agents.set_tracing_disabled(True)


class City(BaseModel):
    city: str
    population: int


@function_tool
def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return "sunny"


def chat_model():
    return OpenAIChatCompletionsModel(model=MODEL, openai_client=openai.AsyncOpenAI(max_retries=0))


async def ask_agent(name, model=MODEL, **options):
    agents.set_default_openai_client(openai.AsyncOpenAI(max_retries=0), use_for_tracing=False)
    return (await Runner.run(Agent(name="a", model=model, **options), ask(name))).final_output


@scenario("responses")
async def responses():
    assert await ask_agent("plain") == "Hello world"


@scenario("tools")
async def tools():
    assert await ask_agent("tools", tools=[get_weather]) == "It is sunny."
    assert await ask_agent("tools", chat_model(), tools=[get_weather]) == "It is sunny."


@scenario("parallel tools")
async def parallel_tools():
    assert await ask_agent("parallel", tools=[get_weather]) == "Both are sunny."
    assert await ask_agent("parallel", chat_model(), tools=[get_weather]) == "Both are sunny."


@scenario("structured output")
async def structured():
    assert (await ask_agent("structured", output_type=City)).city == "Paris"
    assert (await ask_agent("structured", chat_model(), output_type=City)).city == "Paris"


@scenario("streaming")
async def streaming():
    for model in [MODEL, chat_model()]:
        agents.set_default_openai_client(openai.AsyncOpenAI(max_retries=0), use_for_tracing=False)
        result = Runner.run_streamed(Agent(name="a", model=model), ask("unicode"))
        text = ""
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                text += event.data.delta
        assert text == UNICODE == result.final_output


@scenario("reasoning")
async def reasoning():
    assert await ask_agent("reasoning") == "42"
    assert await ask_agent("reasoning", chat_model()) == "42"


@scenario("error 400")
async def error_400():
    try:
        await ask_agent("error400")
    except openai.BadRequestError:
        return
    raise AssertionError("no error was raised")


run("openai-agents", importlib.metadata.version("openai-agents"))
