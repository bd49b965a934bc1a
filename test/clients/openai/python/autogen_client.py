import importlib.metadata

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient
from harness import API_KEY, BASE_URL, MODEL, UNICODE, ask, run, scenario
from pydantic import BaseModel

info = {
    "vision": True, "function_calling": True, "json_output": True, "family": "unknown", "structured_output": True,
    "multiple_system_messages": True,
}


class City(BaseModel):
    city: str
    population: int


def create_client():
    return OpenAIChatCompletionClient(model=MODEL, base_url=BASE_URL, api_key=API_KEY, model_info=info, max_retries=0)


def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return "sunny"


def message(name):
    return [UserMessage(content=ask(name), source="user")]


@scenario("plain")
async def plain():
    assert (await create_client().create(message("plain"))).content == "Hello world"


@scenario("usage")
async def usage():
    assert (await create_client().create(message("plain"))).usage.prompt_tokens == 11


@scenario("streaming")
async def streaming():
    parts = [part async for part in create_client().create_stream(message("unicode"))]
    assert "".join(p for p in parts if isinstance(p, str)) == UNICODE


@scenario("tools")
async def tools():
    agent = AssistantAgent("a", model_client=create_client(), tools=[get_weather], reflect_on_tool_use=True)
    result = await agent.run(task=ask("tools"))
    assert result.messages[-1].content == "It is sunny."


@scenario("parallel tools")
async def parallel_tools():
    agent = AssistantAgent(
        "a", model_client=create_client(), tools=[get_weather], reflect_on_tool_use=True, model_client_stream=True
    )
    assert (await agent.run(task=ask("parallel"))).messages[-1].content == "Both are sunny."


@scenario("structured output")
async def structured():
    result = await create_client().create(message("structured"), json_output=City)
    assert City.model_validate_json(result.content).city == "Paris"


run("autogen", importlib.metadata.version("autogen-ext"))
