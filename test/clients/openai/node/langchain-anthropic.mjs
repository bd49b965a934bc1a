import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { ask, compared, PIXEL, run } from "./compared.mjs";

const getWeather = tool(async () => "sunny", {
  name: "get_weather",
  description: "Returns the weather of a city.",
  schema: z.object({ city: z.string() }),
});

const connect = ({ baseURL, apiKey, model }, options = {}) =>
  new ChatAnthropic({ model, apiKey, anthropicApiUrl: baseURL, maxTokens: 2_048, maxRetries: 0, ...options });

const describe = ({ content, tool_calls, usage_metadata, response_metadata }) => [
  typeof content === "string"
    ? content
    : content.map(({ type, text, thinking, input }) => [type, text ?? thinking ?? input]),
  tool_calls,
  usage_metadata.input_tokens,
  usage_metadata.output_tokens,
  response_metadata.stop_reason,
];

async function stream(model, name) {
  let message;
  for await (const chunk of await model.stream(ask(name))) message = message ? message.concat(chunk) : chunk;
  const { tool_calls, usage_metadata } = message;
  // The library reads the tokens of the prompt at the start of a stream, where this service estimates them.
  return [message.text, tool_calls, usage_metadata.input_tokens > 0, usage_metadata.output_tokens];
}

const facts = async (model, messages) => JSON.parse((await model.invoke(messages)).text);

compared("text", async (target) => describe(await connect(target).invoke(ask("plain"))));
compared("text, streamed", (target) => stream(connect(target), "unicode"));
compared("tool call", async (target) =>
  describe(await connect(target).bindTools([getWeather]).invoke(ask("weathers"))),
);
compared("tool call, streamed", (target) => stream(connect(target).bindTools([getWeather]), "weathers"));
compared("thinking", async (target) => {
  const model = connect(target, { thinking: { type: "enabled", budget_tokens: 1_024 } });
  return describe(await model.invoke(ask("think")));
});
compared("schema of the answer", (target) => {
  const schema = z.object({ city: z.string(), population: z.number() });
  return connect(target).withStructuredOutput(schema).invoke(ask("fill"));
});
compared("result of a tool", (target) =>
  facts(connect(target).bindTools([getWeather]), [
    new SystemMessage("Be polite."),
    new HumanMessage("Weather?"),
    new AIMessage({ content: "", tool_calls: [{ id: "toolu_1", name: "get_weather", args: { city: "Paris" } }] }),
    new ToolMessage({ tool_call_id: "toolu_1", content: "sunny" }),
    new HumanMessage(ask("facts")),
  ]),
);
compared("image of bytes", (target) => {
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
  return facts(connect(target), [new HumanMessage({ content: [{ type: "text", text: ask("facts") }, image] })]);
});
compared("maximum tokens", async (target) => describe(await connect(target).invoke(ask("length"))));
for (const name of ["error400", "error429", "overloaded"]) {
  compared(name.replace("error", "error ").replace("overloaded", "error 529"), async (target) => {
    const error = await connect(target)
      .invoke(ask(name))
      .catch((thrown) => thrown);
    return [error.constructor.name, error.status];
  });
}

await run("@langchain/anthropic", "@langchain/anthropic");
