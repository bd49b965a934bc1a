import importlib.metadata

import openai
from harness import EMBEDDING_MODEL, MODEL, PIXEL, UNICODE, ask, raised, run, scenario
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

model = ChatOpenAI(model=MODEL, max_retries=0)


class City(BaseModel):
    """A city."""

    city: str
    population: int


@tool
def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return "sunny"


@scenario("plain")
def plain():
    result = model.invoke(ask("plain"))
    assert result.content == "Hello world" and result.response_metadata["finish_reason"] == "stop"


@scenario("usage")
def usage():
    assert model.invoke(ask("plain")).usage_metadata["total_tokens"] == 18


@scenario("unicode")
def unicode():
    assert model.invoke(ask("unicode")).content == UNICODE


@scenario("streaming")
def streaming():
    assert "".join(c.content for c in model.stream(ask("unicode"))) == UNICODE


@scenario("streaming usage")
def streaming_usage():
    total = None
    for part in ChatOpenAI(model=MODEL, stream_usage=True).stream(ask("plain")):
        total = part if total is None else total + part
    assert total.usage_metadata["total_tokens"] == 18


@scenario("tools")
def tools():
    bound = model.bind_tools([get_weather])
    question = HumanMessage(ask("tools"))
    answer = bound.invoke([question])
    call = answer.tool_calls[0]
    result = bound.invoke([question, answer, ToolMessage("sunny", tool_call_id=call["id"])])
    assert call["name"] == "get_weather" and result.content == "It is sunny."


@scenario("streamed tools")
def streamed_tools():
    total = None
    for part in model.bind_tools([get_weather]).stream(ask("tools")):
        total = part if total is None else total + part
    assert total.tool_calls[0]["name"] == "get_weather"


@scenario("parallel tools")
def parallel_tools():
    calls = model.bind_tools([get_weather]).invoke(ask("parallel")).tool_calls
    assert [c["args"]["city"] for c in calls] == ["Paris", "Rome"]


@scenario("structured output")
def structured():
    for method in ["json_schema", "function_calling", "json_mode"]:
        result = model.with_structured_output(City, method=method).invoke(ask("structured"))
        assert result == City(city="Paris", population=2_100_000), method


@scenario("images")
def images():
    parts = [{"type": "text", "text": ask("image")}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    assert model.invoke([HumanMessage(parts)]).content == "I see it."


@scenario("length")
def length():
    assert model.invoke(ask("length"), max_tokens=3).response_metadata["finish_reason"] == "length"


@scenario("several choices")
def several_choices():
    assert len(ChatOpenAI(model=MODEL, n=2).generate([[HumanMessage(ask("choices"))]]).generations[0]) == 2


@scenario("logprobs")
def logprobs():
    assert model.bind(logprobs=True).invoke(ask("logprobs")).response_metadata["logprobs"]["content"][0]["token"] == "Hi"


@scenario("error 400")
def error_400():
    raised(lambda: model.invoke(ask("error400")), openai.BadRequestError)


@scenario("error 429")
def error_429():
    raised(lambda: model.invoke(ask("error429")), openai.RateLimitError)


@scenario("embeddings")
def embeddings():
    embedder = OpenAIEmbeddings(model=EMBEDDING_MODEL, check_embedding_ctx_length=False)
    assert embedder.embed_documents(["a", "b"]) == [[0.5, -0.25, 0.125]] * 2


@scenario("embeddings of tokens")
def token_embeddings():
    # The default splits texts into lists of token ids; the vocabulary is downloaded, so the ids are given here.
    result = openai.OpenAI().embeddings.create(model=EMBEDDING_MODEL, input=[[1, 2, 3]])
    assert result.data[0].embedding == [0.5, -0.25, 0.125]


@scenario("responses")
def responses():
    result = ChatOpenAI(model=MODEL, use_responses_api=True).invoke(ask("plain"))
    assert result.text == "Hello world" or result.text() == "Hello world"


run("langchain-openai", importlib.metadata.version("langchain-openai"))
