import { randomUUID } from "node:crypto";
import { type Answer, answerOf, type Client, framesOf, type ReceivedFrame } from "../client.ts";

/** A customer's website with an embed key, as its pages talk to the service. */
export class Site {
  readonly origin: string;
  readonly baseUrl: string;
  /** The key as its administrator got to see it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into keys of any shape
  readonly key: any;

  constructor(baseUrl: string, origin: string, key: unknown) {
    this.baseUrl = baseUrl;
    this.origin = origin;
    this.key = key;
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return answerOf(await this.fetch(method, path, body, headers));
  }

  fetch(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.baseUrl + path, {
      method,
      headers: {
        origin: this.origin,
        "x-embed-key": this.key.key,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** Starts or resumes a session. */
  start(body: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request("POST", "/v1/embed/sessions", body, { "idempotency-key": randomUUID(), ...headers });
  }

  /** Starts a session and gives its id. */
  async session(): Promise<string> {
    const { status, body, text } = await this.start();
    if (status !== 201) throw new Error(`No session: ${text}`);
    return body.id;
  }

  read = (session: string): Promise<Answer> => this.request("GET", `/v1/embed/sessions/${session}`);

  send(session: string, content: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch("POST", `/v1/embed/sessions/${session}/messages`, { content }, headers);
  }

  /** Says something and reads the whole stream. */
  async chat(session: string, content: string): Promise<ReceivedFrame[]> {
    const response = await this.send(session, content);
    if (response.status !== 200) throw new Error(`No stream: ${response.status} ${await response.text()}`);
    return Array.fromAsync(framesOf(response));
  }
}

/** A website of the administrator's tenant. */
export async function siteOf(
  admin: Client,
  { origin = "https://shop.example.com", persona, ...settings }: SiteOptions = {},
): Promise<Site> {
  const made =
    persona && (await admin.post("/v1/personas", { name: "Ada", visibility: "public", tier: "QUICK", ...persona }));
  const { status, body, text } = await admin.post("/v1/tenant/embed-keys", {
    name: "Shop",
    allowed_origins: [origin],
    ...(made && { persona_id: made.body.id }),
    ...settings,
  });
  if (status !== 201) throw new Error(`No embed key: ${text}`);
  return new Site(admin.baseUrl, origin, body);
}

interface SiteOptions {
  readonly origin?: string;
  /** What is to be said of its persona; without it there is none. */
  readonly persona?: Record<string, unknown>;
  readonly [setting: string]: unknown;
}
