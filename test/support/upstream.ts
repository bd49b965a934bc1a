import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A chat completion request as it arrived. */
export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of any shape
  readonly body: any;
}

/** Sends what a model provider would send to one request. */
export type Script = (response: ServerResponse, request: ReceivedRequest) => Promise<void>;

/** A model provider on localhost that speaks OpenAI's chat completions as a test tells it to. */
export interface Upstream {
  readonly baseUrl: string;
  readonly requests: ReceivedRequest[];
  /** What the following requests are answered with. */
  script: Script;
  stop(): Promise<void>;
}

/** One server-sent event of OpenAI's stream. */
export function chunk(delta: Record<string, unknown>, extra: Record<string, unknown> = {}): string {
  const choice = { index: 0, delta, finish_reason: null, ...extra };
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [choice] })}\n\n`;
}

/** A whole stream: the pieces with a pause before each, then finish, usage and the end. */
export function streamOf(
  pieces: readonly string[],
  { pause = 0, usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } } = {},
): Script {
  return async (response) => {
    openStream(response);
    response.write(chunk({ role: "assistant", content: "" }));
    for (const piece of pieces) {
      if (pause > 0) await sleep(pause);
      response.write(chunk({ content: piece }));
    }
    response.write(chunk({}, { finish_reason: "stop" }));
    response.write(
      `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  };
}

/** A model that calls tools: name and arguments as it writes them, in two pieces as providers send them. */
export function callsOf(...calls: readonly (readonly [name: string, input: string])[]): Script {
  return async (response) => {
    openStream(response);
    response.write(chunk({ role: "assistant", content: null }));
    for (const [index, [name, input]] of calls.entries()) {
      const half = Math.ceil(input.length / 2);
      const start = {
        index,
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: input.slice(0, half) },
      };
      response.write(chunk({ tool_calls: [start] }));
      response.write(chunk({ tool_calls: [{ index, function: { arguments: input.slice(half) } }] }));
    }
    response.write(chunk({}, { finish_reason: "tool_calls" }));
    response.end("data: [DONE]\n\n");
  };
}

/** Begins an event stream. */
export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

/** Answers with a JSON error as providers do. */
export function refusal(status: number, message: string, headers: Record<string, string> = {}): Script {
  return async (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code: null } }));
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const part of request) text += part;
  return text ? JSON.parse(text) : undefined;
}

/** Starts a provider on a free port. */
export async function startUpstream(script: Script = streamOf(["Hello", " world"])): Promise<Upstream> {
  const requests: ReceivedRequest[] = [];
  const server: Server = createServer(async (request, response) => {
    const received = {
      path: request.url ?? "",
      authorization: request.headers.authorization,
      body: await bodyOf(request),
    };
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
      return;
    }
    requests.push(received);
    await upstream.script(response, received);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    script,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
