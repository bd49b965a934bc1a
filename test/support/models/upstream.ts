import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
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

/** What a stream's chunks come to, as a provider gives it to somebody who wants it at once. */
function wholeOf(text: string): Record<string, unknown> {
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));
  const message: { content: string | null; tool_calls?: { function: { arguments: string } }[] } = { content: null };
  let finish_reason: string | null = null;
  for (const choice of chunks.flatMap(({ choices }) => choices ?? [])) {
    if (choice.delta.content) message.content = (message.content ?? "") + choice.delta.content;
    for (const { index, ...call } of choice.delta.tool_calls ?? []) {
      message.tool_calls ??= [];
      const known = message.tool_calls[index];
      if (known) known.function.arguments += call.function.arguments;
      else message.tool_calls[index] = call;
    }
    finish_reason = choice.finish_reason ?? finish_reason;
  }
  const { id, created, model } = chunks[0];
  const usage = chunks.find((each) => each.usage)?.usage;
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
  return { id, object: "chat.completion", created, model, choices, ...(usage && { usage }) };
}

/** A response that gathers the stream which a script writes, and sends it whole; what is no success goes as it is. */
function gathering(response: ServerResponse): ServerResponse {
  let text = "";
  let refused = false;
  const gathered = {
    writeHead(status: number, headers: Record<string, string>) {
      refused = status !== 200;
      if (refused) response.writeHead(status, headers);
      return gathered;
    },
    flushHeaders: () => {},
    write(piece: string) {
      text += piece;
      return true;
    },
    end(piece = "") {
      if (refused) return response.end(text + piece);
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(wholeOf(text + piece)));
    },
    destroy: () => response.destroy(),
  };
  return gathered as unknown as ServerResponse;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const text = await textOf(request);
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
    // A script says what it would stream; whoever did not ask for a stream gets that in one piece.
    const asWhole =
      received.path.endsWith("/chat/completions") && (received.body as { stream?: boolean }).stream !== true;
    await upstream.script(asWhole ? gathering(response) : response, received);
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
