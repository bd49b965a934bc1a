import importlib.metadata

from anthropic import AsyncAnthropic
from harness import ask, compared, run
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel, AnthropicModelSettings
from pydantic_ai.providers.anthropic import AnthropicProvider


class City(BaseModel):
    city: str
    population: int


def agent(target, **options):
    client = AsyncAnthropic(api_key=target.api_key, base_url=target.base_url, max_retries=0)
    provider = AnthropicProvider(anthropic_client=client)
    settings = AnthropicModelSettings(max_tokens=2048, **options.pop("settings", {}))
    return Agent(AnthropicModel(target.model, provider=provider), model_settings=settings, retries=0, **options)


def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return f"sunny in {city}"


def usage_of(result):
    usage = result.usage
    return [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens]


@compared("text")
async def text(target):
    result = await agent(target).run(ask("plain"))
    return [result.output, usage_of(result)]


@compared("text, streamed")
async def streamed(target):
    async with agent(target).run_stream(ask("unicode")) as result:
        return [await result.get_output(), usage_of(result)]


@compared("parallel tools")
async def tools(target):
    return (await agent(target, tools=[get_weather], instructions="Be polite.").run(ask("weathers"))).output


@compared("parallel tools, streamed")
async def streamed_tools(target):
    async with agent(target, tools=[get_weather]).run_stream(ask("weathers")) as result:
        return await result.get_output()


@compared("thinking and tools")
async def thinking(target):
    settings = {"anthropic_thinking": {"type": "enabled", "budget_tokens": 1024}}
    return (await agent(target, tools=[get_weather], settings=settings).run(ask("think"))).output


@compared("schema of the answer")
async def schema(target):
    return (await agent(target, output_type=City).run(ask("fill"))).output.model_dump()


@compared("image of bytes")
async def image(target):
    return (await agent(target).run([ask("facts"), BinaryContent(b"\x89PNG", media_type="image/png")])).output


@compared("PDF document")
async def pdf(target):
    return (await agent(target).run([ask("facts"), BinaryContent(b"%PDF-1.4", media_type="application/pdf")])).output


async def failure(target, name):
    try:
        await agent(target).run(ask(name))
    except ModelHTTPError as error:
        return [type(error).__name__, error.status_code]


for title, name in [("error 400", "error400"), ("error 429", "error429")]:
    compared(title)(lambda target, name=name: failure(target, name))

if __name__ == "__main__":
    run("pydantic-ai, Anthropic", importlib.metadata.version("pydantic-ai-slim"))
