import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import { z } from "zod";
import { ask, compared, PIXEL, run } from "./compared.mjs";

const tool = {
  name: "get_weather",
  description: "Returns the weather of a city.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const thinking = { type: "enabled", budget_tokens: 1_024 };
const city = z.object({ city: z.string(), population: z.number() });
const user = (content) => ({ role: "user", content });

const connect = ({ baseURL, apiKey }, options = {}) =>
  new Anthropic({ baseURL, apiKey, maxRetries: 0, timeout: 20_000, ...options });
const fieldsOf = ({ model }, name, fields) => ({ model, max_tokens: 2_048, messages: [user(ask(name))], ...fields });
const create = (target, name, fields) => connect(target).messages.create(fieldsOf(target, name, fields));

/** Describes an answer without what each service chooses by itself. */
function describe({ type, role, content, stop_reason, stop_sequence, usage }) {
  const blocks = content.map((block) =>
    "signature" in block ? { ...block, signature: block.signature !== "" } : block,
  );
  return [type, role, blocks, stop_reason, stop_sequence, usage.input_tokens, usage.output_tokens];
}

async function stream(target, name, fields) {
  const events = connect(target).messages.stream(fieldsOf(target, name, fields));
  const types = [];
  // The number of deltas is up to the service.
  events.on("streamEvent", ({ type }) => type !== types.at(-1) && type !== "ping" && types.push(type));
  return [types, describe(await events.finalMessage())];
}

async function facts(target, fields) {
  const { content } = await create(target, "facts", fields);
  return JSON.parse(content[0].text);
}

async function failure(call) {
  const error = await call().then(
    () => {
      throw new Error("no error was thrown");
    },
    (thrown) => thrown,
  );
  return [error.constructor.name, error.status, error.type, !!error.requestID];
}

const answers = {
  text: ["plain"],
  unicode: ["unicode"],
  "maximum tokens": ["length"],
  "stop sequence": ["stopped", { stop_sequences: ["END"] }],
  refusal: ["filtered"],
  "tool call": ["weather", { tools: [tool] }],
  "parallel tools": ["weathers", { tools: [tool] }],
  "text and tool call": ["look", { tools: [tool] }],
  thinking: ["think", { thinking }],
  "thinking and tool call": ["think", { thinking, tools: [tool] }],
};
for (const [title, [name, fields]] of Object.entries(answers)) {
  compared(title, async (target) => describe(await create(target, name, fields)));
  compared(`${title}, streamed`, (target) => stream(target, name, fields));
}

compared("text events", async (target) => {
  let text = "";
  const events = connect(target).messages.stream(fieldsOf(target, "unicode"));
  events.on("text", (delta) => {
    text += delta;
  });
  await events.done();
  return text;
});

compared("input of a streamed tool call", async (target) => {
  let json = "";
  const events = connect(target).messages.stream(fieldsOf(target, "weather", { tools: [tool] }));
  events.on("inputJson", (delta) => {
    json += delta;
  });
  await events.done();
  return json;
});

const system = [{ type: "text", text: "Be polite.", cache_control: { type: "ephemeral" } }];
const png = { type: "base64", media_type: "image/png", data: PIXEL };
const call = { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } };
const resultOf = (fields) => user([{ type: "tool_result", tool_use_id: "toolu_1", ...fields }]);
const asks = (...blocks) => ({ messages: [user([...blocks, { type: "text", text: ask("facts") }])] });
const after = (fields, ...blocks) => ({
  messages: [user("Weather?"), { role: "assistant", content: [...blocks, call] }, resultOf(fields), user(ask("facts"))],
  tools: [tool],
});
const requests = {
  "system prompt": { system: "Be polite." },
  "system prompt of blocks": { system },
  "several turns": { messages: [user("Hi"), { role: "assistant", content: "Hello." }, user(ask("facts"))] },
  "image of bytes": asks({ type: "image", source: png }),
  "image of an address": asks({ type: "image", source: { type: "url", url: "https://example.com/lamp.png" } }),
  "PDF document": asks({ type: "document", source: { ...png, media_type: "application/pdf" } }),
  settings: { stop_sequences: ["END"], metadata: { user_id: "u-1" }, service_tier: "standard_only" },
  "choice of any tool": { tools: [tool], tool_choice: { type: "any" } },
  "choice of one tool": { tools: [tool], tool_choice: { type: "tool", name: "get_weather" } },
  "choice of no tool": { tools: [tool], tool_choice: { type: "none" } },
  "result of a tool": after({ content: "sunny" }),
  "failed tool": after({ content: "no network", is_error: true }),
  "images in the result of a tool": after({ content: [{ type: "image", source: png }] }),
  "redacted thinking sent back": after({ content: "sunny" }, { type: "redacted_thinking", data: "ZW5jcnlwdGVk" }),
};
for (const [title, fields] of Object.entries(requests)) compared(title, (target) => facts(target, fields));

compared("thinking sent back with its signature", async (target) => {
  const { content } = await create(target, "think", { thinking, tools: [tool] });
  const results = content.flatMap(({ type, id }) =>
    type === "tool_use" ? [{ type: "tool_result", tool_use_id: id, content: "sunny" }] : [],
  );
  const messages = [user(ask("think")), { role: "assistant", content }, user(results)];
  return describe(await create(target, "think", { thinking, tools: [tool], messages }));
});

compared("schema of the answer", async (target) => {
  const fields = fieldsOf(target, "fill", { output_config: { format: zodOutputFormat(city) } });
  return (await connect(target).messages.parse(fields)).parsed_output;
});

compared("beta client", async (target) =>
  describe(await connect(target).beta.messages.create(fieldsOf(target, "plain", { betas: ["context-1m-2025-08-07"] }))),
);

compared("tool runner", async (target) => {
  const run = ({ city: name }) => `sunny in ${name}`;
  const inputSchema = z.object({ city: z.string() });
  const tools = [betaZodTool({ name: "get_weather", description: "Returns the weather.", inputSchema, run })];
  const { content } = await connect(target).beta.messages.toolRunner(fieldsOf(target, "weather", { tools }));
  return content.map(({ text }) => text);
});

compared("count of tokens", async (target) => {
  const { max_tokens: _, ...fields } = fieldsOf(target, "plain", { system, tools: [tool] });
  return (await connect(target).messages.countTokens(fields)).input_tokens > 10;
});

compared("bearer token", async (target) => {
  const client = connect(target, { apiKey: null, authToken: target.apiKey });
  return describe(await client.messages.create(fieldsOf(target, "plain")));
});

compared("id of the request", async (target) => !!(await create(target, "plain"))._request_id);

compared("list of models", async (target) => {
  const client = connect(target);
  const models = [await client.models.retrieve(target.model)];
  for await (const model of client.models.list({ limit: 100 })) if (model.id === target.model) models.push(model);
  return models.map(({ id, type, display_name, created_at }) => [id, type, !!display_name, created_at.endsWith("Z")]);
});

const refused = {
  "error 400, no messages": () => ({ messages: [] }),
  "error 400, unknown field": () => ({ invented: 1 }),
  "error 400, small budget": () => ({ thinking: { type: "enabled", budget_tokens: 10 } }),
  "error 400, result without a call": () => ({ messages: [resultOf({ content: "x" })] }),
  "error 404": () => ({ model: "claude-none" }),
};
for (const [title, fields] of Object.entries(refused)) {
  compared(title, (target) => failure(() => create(target, "plain", fields())));
}
compared("error 400 of the model", (target) => failure(() => create(target, "error400")));
compared("prompt too long", (target) => failure(() => create(target, "overflow")));
compared("error 429", (target) => failure(() => create(target, "error429")));
compared("error 529", (target) => failure(() => create(target, "overloaded")));
compared("error 529, streamed", (target) => failure(() => stream(target, "overloaded")));
compared("error in the stream", (target) => failure(() => stream(target, "broken")));
compared("error 401", (target) =>
  failure(() => create({ ...target, apiKey: "swk_abcdefgh_00000000000000000000000000000000" }, "plain")),
);
compared("retries", async (target) => {
  const fields = fieldsOf(target, `retried/${crypto.randomUUID()}`);
  return describe(await connect(target, { maxRetries: 2 }).messages.create(fields));
});
compared("timeout", async (target) => {
  const client = connect(target, { timeout: 1_000 });
  return (await failure(() => client.messages.create(fieldsOf(target, "slow"))))[0];
});

await run("anthropic-typescript", "@anthropic-ai/sdk");
