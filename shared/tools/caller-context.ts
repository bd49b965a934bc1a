import { loadAppSecrets } from "../auth/app-secret.ts";
import { deriveEs256Key, signJwt } from "../auth/signing-key.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { StoredToolServer } from "./server-store.ts";

/** Header of requests to tool servers with the signed context. Arguments of a call cannot set it. */
export const CALLER_HEADER = "switchboard-caller";

const PURPOSE = "caller-context";

/** Lifetime of a signed context. A call has a new one. */
const LIFETIME_SECONDS = 60;

/** Caller of a tool, and the place from which it is called. */
export interface Caller {
  /** Id of the user, the visitor, or the program with an API key. */
  readonly sub: string;
  readonly kind: "user" | "visitor" | "key";
  /** Program that acts for the user (RFC 8693, 4.1); null for none. */
  readonly act: { readonly sub: string } | null;
  /** Address of the user, or of the visitor as the token of the website states it. */
  readonly email: string | null;
  /** Id that the website has for its visitor, as its token states it; null for all others. */
  readonly visitor_sub: string | null;
  /** Values that a visitor entered before the chat, by the names of the fields; not verified. Null for all others. */
  readonly form: Readonly<Record<string, string>> | null;
  /** Names of the groups of a user. */
  readonly groups: readonly string[];
  readonly conversation_id: string | null;
  readonly persona_id: string | null;
  /** Id of the run, which is that of its answer. */
  readonly run_id: string | null;
  readonly call_id: string;
  /** Approval or confirmation of this call; null if it needed none, or if an earlier one is remembered. */
  readonly approval_id: string | null;
}

/**
 * Returns the header that tells a server who calls one of its tools: a JWT (RFC 7519) for this server. Empty for a server that
 * does not ask for it.
 */
export async function signCaller(
  { tenantId }: TenantScope,
  { caller_context }: Pick<StoredToolServer, "caller_context">,
  tool: string,
  { sub, ...caller }: Caller,
): Promise<Record<string, string>> {
  if (caller_context === null) return {};
  const key = await deriveEs256Key((await loadAppSecrets()).current, PURPOSE);
  const { issuer: iss, audience: aud } = caller_context;
  const claims = { iss, aud, sub, jti: caller.call_id, tenant_id: tenantId, tool, ...caller };
  return { [CALLER_HEADER]: await signJwt(key, claims, LIFETIME_SECONDS) };
}

/** Returns the public keys with which servers verify contexts. The next key is among them before it signs. */
export async function listCallerKeys() {
  const { recent } = await loadAppSecrets();
  return Promise.all(recent.map(async (secret) => (await deriveEs256Key(secret, PURPOSE)).jwk));
}
