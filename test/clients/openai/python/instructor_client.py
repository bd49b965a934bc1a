import importlib.metadata

import instructor
import openai
from harness import MODEL, messages, run, scenario
from pydantic import BaseModel


class City(BaseModel):
    city: str
    population: int


def extract(mode, **options):
    client = instructor.from_openai(openai.OpenAI(max_retries=0), mode=mode)
    return client.chat.completions.create(model=MODEL, messages=messages("structured"), response_model=City, **options)


@scenario("tools")
def tools():
    assert extract(instructor.Mode.TOOLS).city == "Paris"


@scenario("strict tools")
def strict_tools():
    assert extract(instructor.Mode.TOOLS_STRICT).city == "Paris"


@scenario("structured output")
def structured():
    assert extract(instructor.Mode.JSON).city == "Paris"
    assert extract(instructor.Mode.JSON_SCHEMA).city == "Paris"


@scenario("streaming")
def streaming():
    client = instructor.from_openai(openai.OpenAI(max_retries=0), mode=instructor.Mode.JSON_SCHEMA)
    partials = list(client.chat.completions.create_partial(model=MODEL, messages=messages("structured"), response_model=City))
    assert partials[-1].city == "Paris"


@scenario("usage")
def usage():
    client = instructor.from_openai(openai.OpenAI(max_retries=0))
    _, completion = client.chat.completions.create_with_completion(
        model=MODEL, messages=messages("structured"), response_model=City
    )
    assert completion.usage.total_tokens == 18


run("instructor", importlib.metadata.version("instructor"))
