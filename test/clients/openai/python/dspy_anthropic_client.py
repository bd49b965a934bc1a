import importlib.metadata

import dspy
from harness import ask, compared, raised, run


def connect(target):
    options = {"max_tokens": 2048, "cache": False, "num_retries": 0}
    return dspy.LM(f"anthropic/{target.model}", api_base=f"{target.base_url}/v1", api_key=target.api_key, **options)


@compared("text")
def text(target):
    return connect(target)(ask("plain"))


@compared("several turns")
def turns(target):
    history = [{"role": "system", "content": "Be polite."}, {"role": "user", "content": "Hi"}]
    answered = [*history, {"role": "assistant", "content": "Hello."}, {"role": "user", "content": ask("facts")}]
    return connect(target)(messages=answered)


@compared("error 400")
def error_400(target):
    return type(raised(lambda: connect(target)(ask("error400")), Exception)).__name__


if __name__ == "__main__":
    run("DSPy, Anthropic", importlib.metadata.version("dspy"))
