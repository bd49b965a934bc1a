import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Part of a response with its time of arrival, in milliseconds after the invocation. */
export interface ReceivedChunk {
  readonly atMs: number;
  readonly text: string;
}

/** Result of an invocation as the runtime interface client reported it. */
export interface InvocationResult {
  readonly kind: "response" | "error";
  readonly isStreamed: boolean;
  readonly chunks: readonly ReceivedChunk[];
  /** Time until the process asked for the next event, which Lambda bills. */
  readonly billedMs: number;
}

/** Server side of Lambda's runtime API for one process. */
export interface RuntimeApi {
  /** Host and port, for `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Resolves with the time at which the process asked for its first event, or rejects with its initialization error. */
  readonly initialized: Promise<number>;
  /** Passes an event to the process and returns its result. */
  invoke(event: unknown): Promise<InvocationResult>;
  close(): void;
}

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  startedAt: number;
  resolve(result: InvocationResult): void;
}

async function readChunks(request: IncomingMessage, startedAt: number): Promise<ReceivedChunk[]> {
  const chunks: ReceivedChunk[] = [];
  for await (const chunk of request) chunks.push({ atMs: performance.now() - startedAt, text: String(chunk) });
  return chunks;
}

/**
 * Starts a server that implements the runtime API.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startRuntimeApi(functionArn: string): Promise<RuntimeApi> {
  const initialized = Promise.withResolvers<number>();
  initialized.promise.catch(() => {});
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let finish = () => {};
  let poll: ServerResponse | null = null;

  function deliver(): void {
    const invocation = poll ? waiting.shift() : undefined;
    if (!poll || !invocation) return;
    running.set(invocation.id, invocation);
    invocation.startedAt = performance.now();
    poll.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": invocation.id,
      "lambda-runtime-deadline-ms": String(Date.now() + 900_000),
      "lambda-runtime-invoked-function-arn": functionArn,
      "lambda-runtime-trace-id": "Root=1-00000000-000000000000000000000000;Sampled=0",
    });
    poll.end(JSON.stringify(invocation.event));
    poll = null;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").replace("/2018-06-01/runtime/", "");
    if (path === "invocation/next") {
      initialized.resolve(performance.now());
      finish();
      poll = response;
      return deliver();
    }
    const [, id = "", kind] = /^invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    const invocation = running.get(id);
    const chunks = await readChunks(request, invocation?.startedAt ?? 0);
    response.writeHead(202, { "content-type": "application/json" }).end('{"status":"OK"}');
    if (path === "init/error") initialized.reject(new Error(chunks.map(({ text }) => text).join("")));
    const isStreamed = request.headers["lambda-runtime-function-response-mode"] === "streaming";
    const result = { kind: kind === "error" ? "error" : "response", isStreamed, chunks } as const;
    finish = () => invocation?.resolve({ ...result, billedMs: performance.now() - invocation.startedAt });
  }

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    initialized: initialized.promise,
    invoke: (event) =>
      new Promise((resolve) => {
        waiting.push({ id: randomUUID(), event, startedAt: 0, resolve });
        deliver();
      }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
