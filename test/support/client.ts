import { randomUUID } from "node:crypto";
import { createParser } from "eventsource-parser";
import { inject } from "vitest";

/** A response with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

/** A frame of an event stream as a client gets it. */
export interface ReceivedFrame {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of any shape
  readonly data: any;
}

/** Who a client is in local mode. */
export interface Person {
  readonly tenant: string;
  readonly user: string;
  readonly roles?: string;
}

/** A person nobody else is, of a tenant of their own: suites do not see each other's data. */
export function somebody(roles = "admin"): Person {
  return { tenant: `t-${randomUUID()}`, user: `u-${randomUUID()}`, roles };
}

/** Talks to the service as one person. */
export class Client {
  readonly baseUrl: string;
  readonly person: Person;
  readonly headers: Record<string, string>;

  constructor(person: Person = somebody(), baseUrl: string = inject("baseUrl")) {
    this.baseUrl = baseUrl;
    this.person = person;
    this.headers = {
      "x-tenant-id": person.tenant,
      "x-user-id": person.user,
      ...(person.roles !== undefined && { "x-user-roles": person.roles }),
    };
  }

  /** A request whose body, if any, is sent as JSON. */
  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await this.fetch(path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answerOf(response);
  }

  get = (path: string, headers?: Record<string, string>) => this.request("GET", path, undefined, headers);
  post = (path: string, body: unknown, headers?: Record<string, string>) => this.request("POST", path, body, headers);
  put = (path: string, body: unknown, headers?: Record<string, string>) => this.request("PUT", path, body, headers);
  patch = (path: string, body: unknown, headers?: Record<string, string>) => this.request("PATCH", path, body, headers);
  delete = (path: string, headers?: Record<string, string>) => this.request("DELETE", path, undefined, headers);

  /** A plain fetch with this person's headers. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.baseUrl + path, {
      redirect: "manual",
      ...init,
      headers: { ...this.headers, ...(init.headers as Record<string, string>) },
    });
  }

  /** Creates a conversation and gives its id. */
  async conversation(title = "A conversation"): Promise<string> {
    const { status, body, text } = await this.post("/v1/conversations", { title });
    if (status !== 201) throw new Error(`No conversation: ${text}`);
    return body.id;
  }

  /** Says something and reads the whole stream. */
  async chat(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<ReceivedFrame[]> {
    const response = await this.fetch("/v1/runtime/chat", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`No stream: ${response.status} ${await response.text()}`);
    return Array.fromAsync(framesOf(response));
  }
}

/** Reads a response to its end. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** The frames of an event stream as they arrive. */
export async function* framesOf(response: Response): AsyncGenerator<ReceivedFrame> {
  const waiting: ReceivedFrame[] = [];
  const parser = createParser({
    onEvent: ({ id, event = "message", data }) => waiting.push({ id, event, data: JSON.parse(data) }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* waiting.splice(0);
  }
}

/** The text of an answer, put together from its pieces. */
export function streamedText(frames: readonly ReceivedFrame[]): string {
  return frames
    .filter(({ event, data }) => event === "assistant_message" && !data.final)
    .map(({ data }) => data.content)
    .join("");
}
