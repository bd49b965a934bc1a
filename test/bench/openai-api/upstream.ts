/**
 * Model provider that responds immediately with a completion or a stream of 46 words, in its own process. A prompt that
 * contains "slowly" gets a stream of 400 words, one per millisecond. Prints its port.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const text =
  "The weather in the north is mild for the season, with light winds from the west and a few clouds in the afternoon. Take a coat for the evening, when it turns cool along the coast, and expect a clear sky over the hills at night.";
const words = text.match(/\S+\s*/g) ?? [];
const commonFields = { id: "chatcmpl-1", created: 1, model: "m" };
const usage = { prompt_tokens: 12, completion_tokens: 48, total_tokens: 60 };

const completion = JSON.stringify({
  ...commonFields,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: words.join("") }, finish_reason: "stop" }],
  usage,
});

const event = (fields: unknown) =>
  `data: ${JSON.stringify({ ...commonFields, object: "chat.completion.chunk", ...(fields as object) })}\n\n`;
const delta = (delta: unknown, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta, finish_reason }] });
const stream = [
  delta({ role: "assistant", content: "" }),
  ...words.map((content) => delta({ content })),
  delta({}, "stop"),
  event({ choices: [], usage }),
  "data: [DONE]\n\n",
];

const PACED_WORDS = 400;

/** Streams single words like a model, each in a packet of its own. */
function streamPaced(response: ServerResponse): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer);
    else if (sent < PACED_WORDS) response.write(delta({ content: words[sent++ % words.length] }));
    else {
      clearInterval(timer);
      response.end(stream.slice(-3).join(""));
    }
  }, 1);
}

const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    if (!JSON.parse(body || "{}").stream) {
      response.writeHead(200, { "content-type": "application/json" }).end(completion);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (body.includes("slowly")) {
      streamPaced(response);
      return;
    }
    // Like a model, sends the first word before the rest.
    for (const text of stream.slice(0, 2)) response.write(text);
    setTimeout(() => {
      for (const text of stream.slice(2)) response.write(text);
      response.end();
    }, 5);
  });
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
