import { randomUUID } from "node:crypto";
import { type ApiResponse, type Client, type ReceivedFrame, readFrames, readResponse } from "../client.ts";

/** Client of the embed API that acts as a page of a customer's website. */
export class Site {
  readonly origin: string;
  readonly baseUrl: string;
  /** Embed key as returned on creation. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into keys of any shape
  readonly key: any;

  constructor(baseUrl: string, origin: string, key: unknown) {
    this.baseUrl = baseUrl;
    this.origin = origin;
    this.key = key;
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    return readResponse(await this.fetch(method, path, body, headers));
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
  startSession(body: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.request("POST", "/v1/embed/sessions", body, { "idempotency-key": randomUUID(), ...headers });
  }

  /** Starts a session and returns its id. */
  async createSession(): Promise<string> {
    const { status, body, text } = await this.startSession();
    if (status !== 201) throw new Error(`Starting a session failed: ${text}`);
    return body.id;
  }

  getSession = (session: string): Promise<ApiResponse> => this.request("GET", `/v1/embed/sessions/${session}`);

  sendMessage(session: string, content: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch("POST", `/v1/embed/sessions/${session}/messages`, { content }, headers);
  }

  /** Sends a message and reads the whole stream. */
  async chat(session: string, content: string): Promise<ReceivedFrame[]> {
    const response = await this.sendMessage(session, content);
    if (response.status !== 200) throw new Error(`Expected a stream: ${response.status} ${await response.text()}`);
    return Array.fromAsync(readFrames(response));
  }
}

/** Creates an embed key, optionally with a persona, and returns the site that uses it. */
export async function createSite(
  admin: Client,
  { origin = "https://shop.example.com", persona, ...settings }: SiteOptions = {},
): Promise<Site> {
  const createdPersona =
    persona && (await admin.post("/v1/personas", { name: "Ada", visibility: "public", tier: "QUICK", ...persona }));
  const { status, body, text } = await admin.post("/v1/tenant/embed-keys", {
    name: "Shop",
    allowed_origins: [origin],
    ...(createdPersona && { persona_id: createdPersona.body.id }),
    ...settings,
  });
  if (status !== 201) throw new Error(`Creating an embed key failed: ${text}`);
  return new Site(admin.baseUrl, origin, body);
}

interface SiteOptions {
  readonly origin?: string;
  /** Fields of the persona to create for the site. */
  readonly persona?: Record<string, unknown>;
  readonly [setting: string]: unknown;
}
