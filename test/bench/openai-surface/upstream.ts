/** A provider that answers at once, as a process of its own: whole replies, or streams of 40 pieces. Prints its port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const pieces = Array.from({ length: 40 }, (_, n) => `piece ${n} of an answer `);
const head = { id: "chatcmpl-1", created: 1, model: "m" };
const usage = { prompt_tokens: 12, completion_tokens: 160, total_tokens: 172 };

const whole = JSON.stringify({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: pieces.join("") }, finish_reason: "stop" }],
  usage,
});

const event = (fields: unknown) =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...(fields as object) })}\n\n`;
const delta = (delta: unknown, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta, finish_reason }] });
const stream = [
  delta({ role: "assistant", content: "" }),
  ...pieces.map((content) => delta({ content })),
  delta({}, "stop"),
  event({ choices: [], usage }),
  "data: [DONE]\n\n",
];

const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    if (!JSON.parse(body || "{}").stream) {
      response.writeHead(200, { "content-type": "application/json" }).end(whole);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const text of stream) response.write(text);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
