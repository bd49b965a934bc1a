import { randomUUID } from "node:crypto";
import { createParser } from "eventsource-parser";
import { inject } from "vitest";
import { findUndeclaredHeaders } from "./declared-headers.ts";

/** Response with its body read and, if it is JSON, parsed. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any;
}

/** Server-sent event as a client receives it. */
export interface ReceivedFrame {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of any shape
  readonly data: any;
}

/** User identity that a client sends in local mode. */
export interface TestIdentity {
  readonly tenant: string;
  readonly user: string;
  readonly roles?: string;
}

/** Creates a user in a new tenant, so that suites do not see each other's data. */
export function newIdentity(roles = "admin"): TestIdentity {
  return { tenant: `t-${randomUUID()}`, user: `u-${randomUUID()}`, roles };
}

/** API client that acts as one user. */
export class Client {
  readonly baseUrl: string;
  readonly identity: TestIdentity;
  readonly headers: Record<string, string>;

  constructor(identity: TestIdentity = newIdentity(), baseUrl: string = inject("baseUrl")) {
    this.baseUrl = baseUrl;
    this.identity = identity;
    this.headers = {
      "x-tenant-id": identity.tenant,
      "x-user-id": encodeURIComponent(identity.user),
      ...(identity.roles !== undefined && { "x-user-roles": identity.roles }),
    };
  }

  /** Sends a request, with the body, if any, as JSON. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const response = await this.fetch(path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return readResponse(response);
  }

  get = (path: string, headers?: Record<string, string>) => this.request("GET", path, undefined, headers);
  post = (path: string, body: unknown, headers?: Record<string, string>) => this.request("POST", path, body, headers);
  put = (path: string, body: unknown, headers?: Record<string, string>) => this.request("PUT", path, body, headers);
  patch = (path: string, body: unknown, headers?: Record<string, string>) => this.request("PATCH", path, body, headers);
  delete = (path: string, headers?: Record<string, string>) => this.request("DELETE", path, undefined, headers);

  /**
   * Calls `fetch` with this user's headers.
   * @throws Error if the response has a header that the OpenAPI document does not declare
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(this.baseUrl + path, {
      redirect: "manual",
      ...init,
      headers: { ...this.headers, ...(init.headers as Record<string, string>) },
    });
    const { method = "GET" } = init;
    const undeclared = findUndeclaredHeaders(method, path, response);
    if (undeclared.length > 0) {
      throw new Error(`The OpenAPI document lacks headers of ${method} ${path} (${response.status}): ${undeclared}`);
    }
    return response;
  }

  /** Creates a conversation and returns its id. */
  async createConversation(title = "A conversation"): Promise<string> {
    const { status, body, text } = await this.post("/v1/conversations", { title });
    if (status !== 201) throw new Error(`Creating a conversation failed: ${text}`);
    return body.id;
  }

  /** Sends a chat message and reads the whole stream. */
  async chat(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<ReceivedFrame[]> {
    const response = await this.fetch("/v1/runtime/chat", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`Expected a stream: ${response.status} ${await response.text()}`);
    return Array.fromAsync(readFrames(response));
  }
}

export async function readResponse(response: Response): Promise<ApiResponse> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** Yields the frames of an event stream as they arrive. */
export async function* readFrames(response: Response): AsyncGenerator<ReceivedFrame> {
  const pending: ReceivedFrame[] = [];
  const parser = createParser({
    onEvent: ({ id, event = "message", data }) => pending.push({ id, event, data: JSON.parse(data) }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* pending.splice(0);
  }
}

/** Joins the text chunks of an assistant message. */
export function streamedText(frames: readonly ReceivedFrame[]): string {
  return frames
    .filter(({ event, data }) => event === "assistant_message" && !data.final)
    .map(({ data }) => data.content)
    .join("");
}
