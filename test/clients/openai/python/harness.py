"""Runs the scenarios of one client and prints a JSON line for each."""

import asyncio
import collections
import inspect
import json
import os
import time
import uuid

BASE_URL = os.environ["OPENAI_BASE_URL"]
API_KEY = os.environ["OPENAI_API_KEY"]
MODEL = os.environ["SCENARIO_MODEL"]
EMBEDDING_MODEL = os.environ["SCENARIO_EMBEDDING_MODEL"]
UNICODE = os.environ["SCENARIO_UNICODE"]
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Returns the weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}

Target = collections.namedtuple("Target", ["base_url", "api_key", "model"])

ANTHROPIC = Target(os.environ["SCENARIO_ANTHROPIC_URL"], os.environ["SCENARIO_ANTHROPIC_KEY"], MODEL)
THROUGH = Target(BASE_URL.removesuffix("/v1"), API_KEY, MODEL)

_scenarios = []


def scenario(name):
    """Registers a function as a scenario. The function fails by raising an exception."""

    def register(function):
        _scenarios.append((name, function))
        return function

    return register


def compared(name):
    """Registers a function of a target, which returns its outcome: that of Anthropic's API and of this service are equal."""

    def register(function):
        async def compare():
            outcomes = []
            for target in [ANTHROPIC, THROUGH]:
                outcome = function(target)
                outcome = await outcome if inspect.isawaitable(outcome) else outcome
                assert outcome not in (None, "", [], {}), "no outcome"
                outcomes.append(json.dumps(outcome, default=str, sort_keys=True))
            direct, through = outcomes
            assert direct == through, f"direct: {direct}, through: {through}"

        _scenarios.append((name, compare))
        return function

    return register


def ask(name):
    """Returns the prompt that makes the scripted provider play a scenario."""
    return f"scenario:{name}"


def messages(name):
    return [{"role": "user", "content": ask(name)}]


def retried():
    """Returns the prompt of a scenario whose first attempt fails."""
    return ask(f"retried/{uuid.uuid4()}")


def raised(call, *types):
    """Returns the exception of the given types that a call raises."""
    try:
        call()
    except types as error:
        return error
    raise AssertionError(f"no {types} was raised")


def run(client, version):
    # All scenarios share one event loop, because a connection belongs to the loop in which it was opened.
    runner = asyncio.Runner()
    for name, function in _scenarios:
        started = time.time()
        try:
            if inspect.iscoroutinefunction(function):
                runner.run(asyncio.wait_for(function(), 30))
            else:
                function()
            result = {"passed": True}
        except BaseException as error:  # A scenario must not prevent the following ones.
            result = {"passed": False, "detail": f"{type(error).__name__}: {error}"[:500]}
        line = {"client": client, "version": version, "scenario": name, "seconds": round(time.time() - started, 2)}
        print(json.dumps({**line, **result}), flush=True)
