import importlib.metadata

import anthropic
from harness import ask, compared, raised, run
from llama_index.core.llms import ChatMessage, LLMMetadata
from llama_index.core.tools import FunctionTool
from llama_index.llms.anthropic import Anthropic


class Model(Anthropic):
    """Model whose context window the library looks up by a name of Anthropic."""

    @property
    def metadata(self):
        return LLMMetadata(is_chat_model=True, is_function_calling_model=True, model_name=self.model)


def model(target):
    return Model(
        model=target.model, base_url=target.base_url, api_key=target.api_key, max_retries=0, max_tokens=2048
    )


def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return "sunny"


tool = FunctionTool.from_defaults(get_weather)


@compared("text")
def text(target):
    return model(target).chat([ChatMessage(role="user", content=ask("plain"))]).message.content


@compared("text, streamed")
def streamed(target):
    chunks = model(target).stream_chat([ChatMessage(role="user", content=ask("unicode"))])
    return "".join(chunk.delta or "" for chunk in chunks)


@compared("system prompt")
def system(target):
    messages = [ChatMessage(role="system", content="Be polite."), ChatMessage(role="user", content=ask("facts"))]
    return model(target).chat(messages).message.content


@compared("parallel tools")
def tools(target):
    llm = model(target)
    response = llm.chat_with_tools([tool], user_msg=ask("weathers"), allow_parallel_tool_calls=True)
    calls = llm.get_tool_calls_from_response(response)
    return [[call.tool_id, call.tool_name, call.tool_kwargs] for call in calls]


@compared("parallel tools, streamed")
def streamed_tools(target):
    llm = model(target)
    *_, last = llm.stream_chat_with_tools([tool], user_msg=ask("weathers"), allow_parallel_tool_calls=True)
    return [[call.tool_name, call.tool_kwargs] for call in llm.get_tool_calls_from_response(last)]


@compared("asynchronous client")
async def asynchronous(target):
    return (await model(target).achat([ChatMessage(role="user", content=ask("plain"))])).message.content


@compared("error 400")
def error_400(target):
    call = lambda: model(target).chat([ChatMessage(role="user", content=ask("error400"))])
    return type(raised(call, anthropic.APIStatusError)).__name__


if __name__ == "__main__":
    run("llama-index, Anthropic", importlib.metadata.version("llama-index-llms-anthropic"))
