import { randomUUID } from "node:crypto";
import OpenAI, { type ClientOptions } from "openai";
import { Client, newIdentity } from "../client.ts";
import type { Upstream } from "../models/upstream.ts";
import { startScriptedService } from "../scripted-service.ts";
import type { Switchboard } from "../switchboard.ts";
import { validatingFetch } from "./openai-schemas.ts";

/** Instance in front of a scripted model provider, with a published persona and an API key for it. */
export interface OpenaiApi {
  readonly upstream: Upstream;
  readonly service: Switchboard;
  readonly baseUrl: string;
  readonly admin: Client;
  readonly slug: string;
  readonly key: string;
  /** Official client whose every response is validated against OpenAI's schemas. */
  readonly openai: OpenAI;
  createClient(apiKey: string, options?: ClientOptions): OpenAI;
  createKey(scopes: string[], extra?: Record<string, unknown>): Promise<{ id: string; key: string }>;
  /** Creates and publishes a persona; returns its slug. */
  publishPersona(fields?: Record<string, unknown>, owner?: Client): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an instance for suites of the OpenAI-compatible API. */
export async function startOpenaiApi(env: Record<string, string> = {}): Promise<OpenaiApi> {
  const service = await startScriptedService({ env: { RATE_LIMIT_API_KEY: "1000000", ...env } });
  const { upstream } = service;
  const baseUrl = `${service.baseUrl}/openai/v1`;
  const admin = new Client(newIdentity(), service.baseUrl);

  const createKey: OpenaiApi["createKey"] = async (scopes, extra = {}) => {
    const headers = { "idempotency-key": randomUUID() };
    const { body, text } = await admin.post("/v1/tenant/api-keys", { description: "test", scopes, ...extra }, headers);
    if (!body?.key) throw new Error(text);
    return body;
  };

  const publishPersona: OpenaiApi["publishPersona"] = async (fields = {}, owner = admin) => {
    const persona = { name: "Helper", instructions: "Be brief.", visibility: "public", tier: "QUICK", ...fields };
    const { body } = await owner.post("/v1/personas", persona);
    const slug = `helper-${randomUUID().slice(0, 8)}`;
    const response = await owner.post(`/v1/personas/${body.id}/publish`, { slug });
    if (response.status > 201) throw new Error(response.text);
    return slug;
  };

  const createClient: OpenaiApi["createClient"] = (apiKey, options = {}) =>
    new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0, fetch: validatingFetch, ...options });

  const slug = await publishPersona();
  const { key } = await createKey(["chat.completions", "models.read"]);
  return {
    ...{
      upstream,
      service,
      baseUrl,
      admin,
      slug,
      key,
      openai: createClient(key),
      createClient,
      createKey,
      publishPersona,
    },
    stop: () => service.stop(),
  };
}
