import createClient, { type MaybeOptionalInit, type Middleware } from "openapi-fetch";
import { type ChatEvent, type ChatOptions, type ChatPosition, followReply, startReply } from "./chat.ts";
import type { ChatRequest, Paths } from "./paths.ts";
import { ProblemError } from "./problem.ts";
import { withRetries } from "./retry.ts";

export interface SwitchboardOptions {
  /** Base URL of the service, such as `https://assistant.example.com`; in browsers, the origin of the page by default. */
  readonly baseUrl?: string;
  /** Bearer token, or a function that returns a current one before each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** Headers of every request, or a function that returns them before each request. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Number of retries after rate limits, outages and lost connections. The default is 3. */
  readonly maxRetries?: number;
  readonly fetch?: typeof globalThis.fetch;
}

type Init<Path extends keyof Paths, Verb extends Method> = MaybeOptionalInit<Paths[Path], Verb & keyof Paths[Path]>;

/** Last parameter of a method. It is optional if the operation requires neither parameters nor a body. */
type InitParam<Value> = undefined extends Value ? [init?: Value] : [init: Value];

type Method = "get" | "post" | "put" | "patch" | "delete";

/** Paths of the API that support an HTTP method. */
type PathWith<Verb extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends Record<Verb, unknown> ? Path : never;
}[keyof Paths];

type OperationOf<Path extends keyof Paths, Verb extends Method> = Paths[Path][Verb & keyof Paths[Path]];

type JsonOf<Reply> = Reply extends { content: { "application/json": infer Body } } ? Body : undefined;

type SuccessStatus = 200 | 201 | 202 | 204;

/** Type of the body of an operation's success responses; undefined for responses without a body. */
export type ReplyOf<Path extends keyof Paths, Verb extends Method> =
  OperationOf<Path, Verb> extends {
    responses: infer Replies;
  }
    ? { [Status in keyof Replies & SuccessStatus]: JsonOf<Replies[Status]> }[keyof Replies & SuccessStatus]
    : never;

/** Method of the client for one HTTP method. Resolves with the response body, or rejects with a `ProblemError`. */
type Call<Verb extends Method> = <const Path extends PathWith<Verb>>(
  path: Path,
  ...init: InitParam<Init<Path, Verb>>
) => Promise<ReplyOf<Path, Verb>>;

/** Paths of the endpoints that return a list in pages. */
export type ListPath = {
  [Path in PathWith<"get">]: ReplyOf<Path, "get"> extends { next_cursor: string | null } ? Path : never;
}[PathWith<"get">];

/** Entry of a list: the element type of the array in its pages. */
export type EntryOf<Path extends ListPath> = {
  [Key in keyof ReplyOf<Path, "get">]: ReplyOf<Path, "get">[Key] extends readonly (infer Entry)[] ? Entry : never;
}[keyof ReplyOf<Path, "get">];

export interface Switchboard {
  readonly GET: Call<"get">;
  readonly POST: Call<"post">;
  readonly PUT: Call<"put">;
  readonly PATCH: Call<"patch">;
  readonly DELETE: Call<"delete">;
  /** Yields the entries of a list. Requests the next page when the entries of the previous one are consumed. */
  list<const Path extends ListPath>(
    path: Path,
    ...init: InitParam<Init<Path, "get">>
  ): AsyncGenerator<EntryOf<Path>, void>;
  /** Sends a message and yields the events of the reply. Reconnects and resumes until the reply has ended. */
  chat(request: ChatRequest, options?: ChatOptions): AsyncGenerator<ChatEvent, void>;
  /** Yields the further events of a reply, for example after the page was reloaded. */
  followChat(position: ChatPosition, options?: ChatOptions): AsyncGenerator<ChatEvent, void>;
  /** Sends a request with the credentials of the client. Rejects with a `ProblemError` for error responses. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

const rejectProblems: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await ProblemError.from(response);
  },
};

export function createSwitchboard(options: SwitchboardOptions = {}): Switchboard {
  const { maxRetries = 3, token, fetch: customFetch } = options;
  const baseUrl = (options.baseUrl ?? (globalThis as { location?: { origin: string } }).location?.origin ?? "").replace(
    /\/$/,
    "",
  );
  const send = (request: Request) => (customFetch ?? globalThis.fetch)(request);
  const credentials = async () => ({
    ...(typeof options.headers === "function" ? options.headers() : options.headers),
    ...(token !== undefined && { authorization: `Bearer ${typeof token === "function" ? await token() : token}` }),
  });
  const authenticate: Middleware = {
    async onRequest({ request }) {
      for (const [name, value] of Object.entries(await credentials())) request.headers.set(name, value);
      return request;
    },
  };
  const client = createClient<Paths>({ baseUrl, fetch: withRetries(send, maxRetries) });
  client.use(authenticate, rejectProblems);
  type UntypedCall = (path: string, init?: object) => Promise<{ data?: unknown }>;
  const call = (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE") => {
    const request = client[method] as unknown as UntypedCall;
    return async (path: string, init?: object) => (await request(path, init)).data;
  };
  const fetch = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(await credentials())) headers.set(name, value);
    const response = await send(new Request(baseUrl + path, { ...init, headers }));
    if (!response.ok) throw await ProblemError.from(response);
    return response;
  };
  const openStream = (path: string, { headers, ...init }: RequestInit) =>
    fetch(path, { ...init, headers: { ...(headers as Record<string, string>), accept: "text/event-stream" } });
  const get = call("GET");
  async function* list(path: string, init: { params?: { query?: object; path?: object } } = {}) {
    let cursor: string | null = null;
    do {
      const query: object = { ...init.params?.query, ...(cursor !== null && { cursor }) };
      const page = (await get(path, { ...init, params: { ...init.params, query } })) as Record<string, unknown>;
      yield* Object.values(page).find(Array.isArray) ?? [];
      cursor = (page.next_cursor as string | null) ?? null;
    } while (cursor !== null);
  }
  return {
    GET: get,
    POST: call("POST"),
    PUT: call("PUT"),
    PATCH: call("PATCH"),
    DELETE: call("DELETE"),
    list,
    chat: (request: ChatRequest, chatOptions: ChatOptions = {}) => startReply(openStream, request, chatOptions),
    followChat: (position: ChatPosition, chatOptions: ChatOptions = {}) =>
      followReply(openStream, position, chatOptions),
    fetch,
  } as Switchboard;
}
