import importlib.metadata

import anthropic
import instructor
from harness import compared, messages, run
from pydantic import BaseModel


class City(BaseModel):
    city: str
    population: int


def fill(target, mode):
    client = anthropic.Anthropic(base_url=target.base_url, api_key=target.api_key, max_retries=0)
    patched = instructor.from_anthropic(client, mode=mode)
    return patched.messages.create(
        model=target.model, max_tokens=2048, messages=messages("fill"), response_model=City, max_retries=0
    ).model_dump()


@compared("schema of the answer, by a tool")
def tools(target):
    return fill(target, instructor.Mode.TOOLS)


@compared("schema of a streamed answer")
def partial(target):
    client = anthropic.Anthropic(base_url=target.base_url, api_key=target.api_key, max_retries=0)
    patched = instructor.from_anthropic(client, mode=instructor.Mode.TOOLS)
    fields = {"model": target.model, "max_tokens": 2048, "messages": messages("fill"), "response_model": City}
    *_, last = patched.messages.create_partial(**fields, max_retries=0)
    return last.model_dump()


if __name__ == "__main__":
    run("instructor, Anthropic", importlib.metadata.version("instructor"))
