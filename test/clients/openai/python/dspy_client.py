"""Runs the scenarios of DSPy through the API and directly against the provider: both have the same outcome."""

import importlib.metadata
import os

import dspy
from harness import API_KEY, BASE_URL, MODEL, UNICODE, ask, run, scenario

TARGETS = [(BASE_URL, API_KEY, MODEL), (os.environ["SCENARIO_DIRECT_URL"], "sk-direct", "m")]


def outcomes(call):
    """Returns the outcomes of a call through the API and directly: the result, or the class of the error."""

    def outcome(base_url, key, model):
        lm = dspy.LM(f"openai/{model}", api_base=base_url, api_key=key, cache=False, num_retries=0)
        try:
            return call(lm)
        except Exception as error:
            return type(error).__name__

    return [outcome(*target) for target in TARGETS]


def expect(call, expected):
    proxied, direct = outcomes(call)
    assert proxied == direct == expected, f"API: {proxied}, provider: {direct}"


@scenario("plain")
def plain():
    expect(lambda lm: lm(ask("plain")), ["Hello world"])


@scenario("unicode")
def unicode():
    expect(lambda lm: lm(ask("unicode")), [UNICODE])


@scenario("several choices")
def several_choices():
    expect(lambda lm: lm(ask("choices"), n=2, temperature=0.7), ["One of many", "One of many"])


@scenario("structured output")
def structured_output():
    class City(dspy.Signature):
        question: str = dspy.InputField()
        city: str = dspy.OutputField()
        population: int = dspy.OutputField()

    def call(lm):
        with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
            result = dspy.Predict(City)(question=ask("structured"))
            return result.city, result.population

    expect(call, ("Paris", 2_100_000))


@scenario("usage")
def usage():
    def call(lm):
        lm(ask("plain"))
        return lm.history[-1]["usage"]["total_tokens"]

    expect(call, 18)


@scenario("overflow")
def overflow():
    expect(lambda lm: lm(ask("overflow")), "ContextWindowExceededError")


@scenario("error 400")
def error_400():
    expect(lambda lm: lm(ask("error400")), "LMInvalidRequestError")


@scenario("error 429")
def error_429():
    expect(lambda lm: lm(ask("error429")), "LMRateLimitError")


run("DSPy", importlib.metadata.version("dspy"))
