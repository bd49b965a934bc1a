import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** Chat completion request as received. */
export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of any shape
  readonly body: any;
}

/** Writes a provider's response to one request. */
export type Script = (response: ServerResponse, request: ReceivedRequest) => Promise<void>;

/** Scripted model provider on localhost with OpenAI's chat completions API. */
export interface Upstream {
  readonly baseUrl: string;
  readonly requests: ReceivedRequest[];
  /** Script that responds to all further requests but those for titles. */
  script: Script;
  /** Script that responds to requests for the title of a conversation. */
  titleScript: Script;
  stop(): Promise<void>;
}

/** Formats a server-sent event of OpenAI's stream. */
export function chunk(delta: Record<string, unknown>, extra: Record<string, unknown> = {}): string {
  const choice = { index: 0, delta, finish_reason: null, ...extra };
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [choice] })}\n\n`;
}

/** Streams the chunks with a pause before each, then the finish reason, usage and `[DONE]`. */
export function streamText(
  chunks: readonly string[],
  { pauseMs = 0, usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } } = {},
): Script {
  return async (response) => {
    startEventStream(response);
    response.write(chunk({ role: "assistant", content: "" }));
    for (const content of chunks) {
      if (pauseMs > 0) await sleep(pauseMs);
      response.write(chunk({ content }));
    }
    response.write(chunk({}, { finish_reason: "stop" }));
    response.write(
      `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  };
}

/** Ends a response because it has the maximum number of output tokens. */
export function cutAfter(delta: Record<string, unknown>): Script {
  return async (response) => {
    startEventStream(response);
    response.end(`${chunk(delta)}${chunk({}, { finish_reason: "length" })}data: [DONE]\n\n`);
  };
}

/** Streams tool calls, the arguments of each in two chunks as providers send them. */
export function streamToolCalls(...calls: readonly (readonly [name: string, input: string])[]): Script {
  return async (response) => {
    startEventStream(response);
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

/** Plans a search for a keyword, calls the tool that creates a note with the title, and answers after its result. */
export function searchThenCreateNote(keyword: string, title: string): Script {
  return (response, request) => {
    if (!request.body.tools) return streamText([keyword])(response, request);
    const isDone = request.body.messages.some(({ role }: { role: string }) => role === "tool");
    const script = isDone
      ? streamText(["Finished."])
      : streamToolCalls(["create_note", JSON.stringify({ title, body: "", tags: [] })]);
    return script(response, request);
  };
}

/** Sends the headers of an event stream. */
export function startEventStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

/** Responds with a provider's JSON error. */
export function errorResponse(status: number, message: string, headers: Record<string, string> = {}): Script {
  return async (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code: null } }));
  };
}

/** Responds with a JSON body, such as a completion with fields that merged chunks do not have. */
export function jsonResponse(body: unknown): Script {
  return async (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
}

/** Merges a stream's chunks into the non-streamed completion. */
function toCompletion(text: string): Record<string, unknown> {
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));
  const message: { content: string | null; tool_calls?: { function: { arguments: string } }[] } = { content: null };
  let finish_reason: string | null = null;
  for (const choice of chunks.flatMap(({ choices }) => choices ?? [])) {
    if (choice.delta.content) message.content = (message.content ?? "") + choice.delta.content;
    for (const { index, ...call } of choice.delta.tool_calls ?? []) {
      message.tool_calls ??= [];
      const existing = message.tool_calls[index];
      if (existing) existing.function.arguments += call.function.arguments;
      else message.tool_calls[index] = call;
    }
    finish_reason = choice.finish_reason ?? finish_reason;
  }
  const { id, created, model } = chunks[0];
  const usage = chunks.find((chunk) => chunk.usage)?.usage;
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
  return { id, object: "chat.completion", created, model, choices, ...(usage && { usage }) };
}

/** Response that collects a script's stream and sends it as one completion; errors pass through unchanged. */
function bufferStream(response: ServerResponse): ServerResponse {
  let text = "";
  let isRaw = false;
  const buffered = {
    writeHead(status: number, headers: Record<string, string>) {
      isRaw = status !== 200 || headers["content-type"] === "application/json";
      if (isRaw) response.writeHead(status, headers);
      return buffered;
    },
    flushHeaders: () => {},
    write(chunk: string) {
      text += chunk;
      return true;
    },
    end(chunk = "") {
      if (isRaw) return response.end(text + chunk);
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(toCompletion(text + chunk)));
    },
    destroy: () => response.destroy(),
    once: (event: string, listener: () => void) => response.once(event, listener),
  };
  return buffered as unknown as ServerResponse;
}

async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  return text ? JSON.parse(text) : undefined;
}

/** Starts a scripted provider on a free port. */
export async function startUpstream(script: Script = streamText(["Hello", " world"])): Promise<Upstream> {
  const requests: ReceivedRequest[] = [];
  const server: Server = createServer(async (request, response) => {
    const received = {
      path: request.url ?? "",
      authorization: request.headers.authorization,
      body: await readJsonBody(request),
    };
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
      return;
    }
    requests.push(received);
    if (JSON.stringify(received.body ?? "").includes("You write the title of a conversation.")) {
      await upstream.titleScript(response, received);
      return;
    }
    // Scripts always stream; requests without `stream` receive the merged completion.
    const isUnstreamed =
      received.path.endsWith("/chat/completions") && (received.body as { stream?: boolean }).stream !== true;
    await upstream.script(isUnstreamed ? bufferStream(response) : response, received);
  });
  // Longer than the pauses between the model calls of a turn, even if its function has only a fraction of a CPU.
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    script,
    titleScript: streamText(["A scripted title"]),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
