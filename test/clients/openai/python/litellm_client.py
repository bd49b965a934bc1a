import importlib.metadata
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from harness import API_KEY, BASE_URL, EMBEDDING_MODEL, MODEL, UNICODE, WEATHER_TOOL, messages, raised, run, scenario, ask
from pydantic import BaseModel

litellm.suppress_debug_info = True


class City(BaseModel):
    city: str
    population: int


def complete(name, **options):
    return litellm.completion(
        model=f"openai/{MODEL}", api_base=BASE_URL, api_key=API_KEY, num_retries=0, messages=messages(name), **options
    )


@scenario("plain")
def plain():
    assert complete("plain").choices[0].message.content == "Hello world"


@scenario("usage")
def usage():
    assert complete("plain").usage.total_tokens == 18


@scenario("streaming")
def streaming():
    assert "".join(c.choices[0].delta.content or "" for c in complete("unicode", stream=True)) == UNICODE


@scenario("tools")
def tools():
    assert complete("tools", tools=[WEATHER_TOOL]).choices[0].message.tool_calls[0].function.name == "get_weather"


@scenario("streamed tools")
def streamed_tools():
    chunks = list(complete("parallel", tools=[WEATHER_TOOL], stream=True))
    built = litellm.stream_chunk_builder(chunks)
    assert [c.function.arguments for c in built.choices[0].message.tool_calls] == ['{"city":"Paris"}', '{"city":"Rome"}']


@scenario("structured output")
def structured():
    content = complete("structured", response_format=City).choices[0].message.content
    assert City.model_validate_json(content).city == "Paris"


@scenario("reasoning")
def reasoning():
    assert complete("reasoning").choices[0].message.reasoning_content == "Let me think."


@scenario("length")
def length():
    assert complete("length").choices[0].finish_reason == "length"


@scenario("error 400")
def error_400():
    raised(lambda: complete("error400"), litellm.BadRequestError)


@scenario("error 401")
def error_401():
    call = lambda: litellm.completion(
        model=f"openai/{MODEL}", api_base=BASE_URL, api_key="swk_abcdefgh_00000000000000000000000000000000",
        num_retries=0, messages=messages("plain"),
    )
    raised(call, litellm.AuthenticationError)


@scenario("error 404")
def error_404():
    call = lambda: litellm.completion(
        model="openai/none", api_base=BASE_URL, api_key=API_KEY, num_retries=0, messages=messages("plain")
    )
    raised(call, litellm.NotFoundError)


@scenario("error 429")
def error_429():
    raised(lambda: complete("error429"), litellm.RateLimitError)


@scenario("error 5xx")
def error_5xx():
    raised(lambda: complete("error500"), litellm.InternalServerError, litellm.ServiceUnavailableError, litellm.APIError)


@scenario("embeddings")
def embeddings():
    result = litellm.embedding(model=f"openai/{EMBEDDING_MODEL}", api_base=BASE_URL, api_key=API_KEY, input=["a"])
    assert result.data[0]["embedding"] == [0.5, -0.25, 0.125]


@scenario("responses")
def responses():
    result = litellm.responses(model=f"openai/{MODEL}", api_base=BASE_URL, api_key=API_KEY, input=ask("plain"))
    assert result.output[0].content[0].text == "Hello world"


@scenario("text completion")
def text_completion():
    result = litellm.text_completion(
        model=f"text-completion-openai/{MODEL}", api_base=BASE_URL, api_key=API_KEY, prompt=ask("plain")
    )
    assert result.choices[0].text == "Hello world"


run("litellm", importlib.metadata.version("litellm"))
