import { randomUUID } from "node:crypto";
import OpenAI, { type ClientOptions } from "openai";
import { Client, somebody } from "../client.ts";
import type { Upstream } from "../models/upstream.ts";
import { startScriptedService } from "../scripted-service.ts";
import type { Switchboard } from "../switchboard.ts";
import { validatingFetch } from "./openai-schemas.ts";

/** An instance in front of a provider that does as it is told, with a published persona and a key for it. */
export interface OpenaiSurface {
  readonly upstream: Upstream;
  readonly service: Switchboard;
  readonly baseUrl: string;
  readonly admin: Client;
  readonly slug: string;
  readonly key: string;
  /** The official client; every answer it gets is held against OpenAI's schemas. */
  readonly openai: OpenAI;
  clientWith(apiKey: string, options?: ClientOptions): OpenAI;
  keyWith(scopes: string[], extra?: Record<string, unknown>): Promise<{ id: string; key: string }>;
  published(fields?: Record<string, unknown>, by?: Client): Promise<string>;
  stop(): Promise<void>;
}

/** Starts one. */
export async function startOpenaiSurface(env: Record<string, string> = {}): Promise<OpenaiSurface> {
  const service = await startScriptedService({ env: { RATE_LIMIT_API_KEY: "1000000", ...env } });
  const { upstream } = service;
  const baseUrl = `${service.baseUrl}/openai/v1`;
  const admin = new Client(somebody(), service.baseUrl);

  const keyWith: OpenaiSurface["keyWith"] = async (scopes, extra = {}) => {
    const headers = { "idempotency-key": randomUUID() };
    const { body, text } = await admin.post("/v1/tenant/api-keys", { description: "test", scopes, ...extra }, headers);
    if (!body?.key) throw new Error(text);
    return body;
  };

  const published: OpenaiSurface["published"] = async (fields = {}, by = admin) => {
    const persona = { name: "Helper", instructions: "Be brief.", visibility: "public", tier: "QUICK", ...fields };
    const { body } = await by.post("/v1/personas", persona);
    const wanted = `helper-${randomUUID().slice(0, 8)}`;
    const answer = await by.post(`/v1/personas/${body.id}/publish`, { slug: wanted });
    if (answer.status > 201) throw new Error(answer.text);
    return wanted;
  };

  const clientWith: OpenaiSurface["clientWith"] = (apiKey, options = {}) =>
    new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0, fetch: validatingFetch, ...options });

  const slug = await published();
  const { key } = await keyWith(["chat.completions", "models.read"]);
  return {
    ...{ upstream, service, baseUrl, admin, slug, key, openai: clientWith(key), clientWith, keyWith, published },
    stop: () => service.stop(),
  };
}
