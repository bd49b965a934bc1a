import { createHash, randomBytes } from "node:crypto";
import * as v from "valibot";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, exists } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import { sha256 } from "../../lib/hash.ts";
import type { StoredToolServer } from "../server-store.ts";
import type { Authorization } from "./authorization.ts";

/** Path of the console page to which authorization servers redirect users back. */
export const SIGN_IN_PATH = "/console/tool-sign-in";

/**
 * Time to complete a sign-in that a user starts. A sign-in that a run waits for can be completed as long as the run
 * waits.
 */
const SIGN_IN_TTL_SECONDS = 15 * 60;

/** Sign-in that the user has started at an authorization server and not completed. */
const PendingSignIn = v.object({
  server_id: v.string(),
  /** Hash of the authorization server and client, which must be unchanged when the user returns. */
  authorization_hash: v.string(),
  verifier: v.string(),
  expires_at: v.string(),
});
export type PendingSignIn = v.InferOutput<typeof PendingSignIn>;

const readSignIn = itemReader(PendingSignIn);

export const hashAuthorization = (authorization: Authorization) => sha256(JSON.stringify(authorization));

const keyOf = ({ tenantId, userId }: UserScope, state: string) => keys.toolSignIn(tenantId, userId, sha256(state));

export interface StartedSignIn {
  readonly url: string;
  readonly expires_at: string;
}

/**
 * Starts a user's sign-in for a tool server. Returns the URL at its authorization server that the user must open.
 */
export async function startSignIn(
  member: UserScope,
  server: StoredToolServer,
  ttlSeconds = SIGN_IN_TTL_SECONDS,
): Promise<StartedSignIn> {
  const authorization = server.oauth as Authorization;
  const { authorization_endpoint, client_id, redirect_uri, resource, scope } = authorization;
  const state = randomBytes(24).toString("base64url");
  const verifier = randomBytes(32).toString("base64url");
  const expires_at = timestamp(now() + ttlSeconds * 1_000);
  await tenantTable(member).write({
    put: {
      ...keyOf(member, state),
      discriminator: "tool-sign-in",
      server_id: server.id,
      authorization_hash: hashAuthorization(authorization),
      verifier,
      expires_at,
      ttl: expiresAfter(ttlSeconds),
    },
  });
  const url = new URL(authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id,
    redirect_uri,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource,
    ...(scope !== null && { scope }),
    // OpenID Connect issues a refresh token for offline access only after the user's consent.
    ...(scope?.split(" ").includes("offline_access") && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, expires_at };
}

/**
 * Deletes and returns a pending sign-in, so that it completes only once.
 * @returns null if the user has started none with this state, or it has expired
 */
export async function takeSignIn(member: UserScope, state: string): Promise<PendingSignIn | null> {
  try {
    const item = await tenantTable(member).write({
      delete: keyOf(member, state),
      condition: exists(),
    });
    const signIn = item && readSignIn(item);
    return signIn && signIn.expires_at > timestamp() ? signIn : null;
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}
