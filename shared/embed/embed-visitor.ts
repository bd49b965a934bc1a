import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import type { EmbedKeyPrincipal, VisitorPrincipal } from "../auth/principal.ts";
import { type SignedVisitor, verifyVisitorToken } from "../auth/visitor-token.ts";
import type { ReadOptions } from "../dynamodb/table.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { findEmbedSession, type StoredEmbedSession, sessionExpired } from "../visitors/embed-session-store.ts";
import {
  deriveTokenKey,
  deriveVisitorId,
  deriveVisitorSecret,
  hashAddress,
  isVisitorSignature,
  verifySessionId,
} from "./visitor-ids.ts";

/** Visitor whom the website names, with a signature or a token; not verified yet. */
interface ClaimedVisitor {
  readonly id: string;
  readonly signature?: string;
  readonly token?: string;
}

/** Identity of a visitor after the check of the signature. */
interface VisitorIdentity {
  /** Id within the tenant; null for anonymous visitors. */
  readonly id: string | null;
  /** True if the website signed its visitor id; an unsigned id is used, but limits apply to the client address. */
  readonly verified: boolean;
  /** Content of a token; null if the website sent none. */
  readonly signed: SignedVisitor | null;
}

/**
 * Checks the visitor id or the token that a website sends.
 * @param signatureRequired true if the embed key admits only visitors with a signature
 * @throws ServiceError `visitor_not_verified` if the signature or the token is invalid, or missing although it is required
 */
export async function verifyVisitor(
  principal: EmbedKeyPrincipal,
  claimed: ClaimedVisitor | undefined,
  signatureRequired: boolean,
): Promise<VisitorIdentity> {
  const signature = claimed?.signature;
  const isValid =
    !signature ||
    (await loadAppSecrets()).all.some((secret) =>
      isVisitorSignature(deriveVisitorSecret(secret, principal), claimed.id, signature),
    );
  if (!isValid) throw new ServiceError("visitor_not_verified");
  if (claimed?.token !== undefined) {
    const keys = (await loadAppSecrets()).all.map((secret) => deriveTokenKey(secret, principal));
    const signed = await verifyVisitorToken(claimed.token, keys);
    if (signed?.sub !== claimed.id) throw new ServiceError("visitor_not_verified");
    return { id: deriveVisitorId(principal, signed.sub), verified: true, signed };
  }
  if (signature === undefined && signatureRequired) throw new ServiceError("visitor_not_verified");
  return {
    id: claimed ? deriveVisitorId(principal, claimed.id) : null,
    verified: signature !== undefined,
    signed: null,
  };
}

/** Returns the visitor id for a new session. An anonymous visitor gets a new id for every session. */
export function assignVisitorId(principal: EmbedKeyPrincipal, visitor: VisitorIdentity): string {
  return visitor.id ?? deriveVisitorId(principal, newId());
}

/** Returns a hash of the client address, to which the messages of unverified visitors are counted. */
export async function hashVisitorAddress(address: string): Promise<string> {
  return hashAddress((await loadAppSecrets()).current, address);
}

/**
 * Verifies a session id and returns the session.
 * @throws ServiceError `not_found` if this website never issued the id; `session_expired` if the session has expired, which
 * the signed id shows even after the session was deleted
 */
export async function authorizeEmbedSession(
  principal: EmbedKeyPrincipal,
  id: string,
  options?: ReadOptions,
): Promise<StoredEmbedSession> {
  const { recent } = await loadAppSecrets();
  const conversationId = verifyWithAny(recent, (secret) => verifySessionId(secret, principal, id));
  if (conversationId === null) throw notFound();
  const session = await findEmbedSession(principal, conversationId, options);
  if (!session) throw sessionExpired();
  return session;
}

/** Returns true for a session of a visitor whom a signature or a token named when it started. */
const isVerifiedSession = ({ identified_as, counted_for }: StoredEmbedSession): boolean =>
  // Messages of unverified visitors are counted for their address.
  counted_for === identified_as;

/**
 * Returns the session that a visitor continues.
 * @throws ServiceError `not_found` if it is that of another visitor; `session_expired`
 */
export async function authorizeResumption(
  principal: EmbedKeyPrincipal,
  id: string,
  visitor: VisitorIdentity,
): Promise<StoredEmbedSession> {
  const session = await authorizeEmbedSession(principal, id);
  // A stored session id can belong to another visitor who used the same browser before.
  if (session.identified_as !== visitor.id) throw notFound();
  // The page that claimed the id still has that of the session, and could act as the visitor.
  if (visitor.signed && !isVerifiedSession(session)) throw notFound();
  return session;
}

/**
 * Rejects the session of an unverified visitor if the embed key has been changed to require a signature.
 * @throws ServiceError `visitor_not_verified`
 */
export function requireVerifiedVisitor(session: StoredEmbedSession, signatureRequired: boolean): void {
  if (signatureRequired && !isVerifiedSession(session)) throw new ServiceError("visitor_not_verified");
}

/** Returns the principal of a session's visitor, on whose behalf the chat runs. */
export function toVisitorPrincipal(
  { tenantId, keyId }: EmbedKeyPrincipal,
  { visitor_id, form }: StoredEmbedSession,
): VisitorPrincipal {
  return {
    ...{ kind: "visitor", tenantId, keyId, userId: visitor_id, expiresAt: null, signed: null, toolServers: [] },
    form: form && Object.fromEntries(form.map(({ name, value }) => [name, value])),
    handoverKeyId: null,
  };
}
