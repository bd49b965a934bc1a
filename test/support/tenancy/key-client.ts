import { randomUUID } from "node:crypto";
import { Client } from "#test/support/client.ts";

/** Client that calls the service with an API key or a token for a user. */
export class KeyClient extends Client {
  readonly keyId: string;
  readonly #owner: Client;
  readonly #secret: string;

  /** @param headers headers of every request in addition to the key */
  constructor(owner: Client, keyId: string, secret: string, headers: Record<string, string> = {}) {
    super(owner.identity, owner.baseUrl);
    this.#owner = owner;
    this.#secret = secret;
    this.keyId = keyId;
    for (const name of Object.keys(this.headers)) delete this.headers[name];
    Object.assign(this.headers, { authorization: `Bearer ${secret}` }, headers);
  }

  /** Returns a client that acts for a user. */
  onBehalfOf(userId: string): KeyClient {
    return new KeyClient(this.#owner, this.keyId, this.#secret, { "x-on-behalf-of": encodeURIComponent(userId) });
  }
}

/** Creates an API key with the settings in addition to a description. */
export async function createKeyClient(creator: Client, settings: Record<string, unknown>): Promise<KeyClient> {
  const headers = { "idempotency-key": randomUUID() };
  const { status, body, text } = await creator.post("/v1/tenant/api-keys", { description: "k", ...settings }, headers);
  if (status !== 201) throw new Error(`Creating an API key failed: ${text}`);
  return new KeyClient(creator, body.id, body.key);
}
