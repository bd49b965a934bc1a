import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import type { EmbedKeyPrincipal, VisitorPrincipal } from "../auth/principal.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { findEmbedSession, type StoredEmbedSession, sessionExpired } from "./embed-session-store.ts";
import {
  deriveVisitorId,
  deriveVisitorSecret,
  hashAddress,
  isVisitorSignature,
  verifySessionId,
} from "./visitor-ids.ts";

/** Visitor as claimed by the website. */
export interface ClaimedVisitor {
  readonly id: string;
  readonly signature?: string;
}

/** Identity of a visitor after verification. */
export interface VisitorIdentity {
  /** Id within the tenant; null for anonymous visitors. */
  readonly id: string | null;
  /** True if the website signed the visitor id. */
  readonly verified: boolean;
}

/**
 * Verifies the claimed identity of a visitor.
 * @param signatureRequired true if the embed key admits only visitors with a signature
 * @throws ServiceError `visitor_not_verified` if the signature is invalid, or missing although it is required
 */
export async function verifyVisitor(
  principal: EmbedKeyPrincipal,
  claimed: ClaimedVisitor | undefined,
  signatureRequired: boolean,
): Promise<VisitorIdentity> {
  const signature = claimed?.signature;
  const isValid =
    signature &&
    (await loadAppSecrets()).all.some((secret) =>
      isVisitorSignature(deriveVisitorSecret(secret, principal), claimed.id, signature),
    );
  if (signature ? !isValid : signatureRequired) throw new ServiceError("visitor_not_verified");
  return { id: claimed ? deriveVisitorId(principal, claimed.id) : null, verified: signature !== undefined };
}

/** Returns the visitor id for a new session. An anonymous visitor gets a new id for every session. */
export function assignVisitorId(principal: EmbedKeyPrincipal, visitor: VisitorIdentity): string {
  return visitor.id ?? deriveVisitorId(principal, newId());
}

/** Hashes the client address, which identifies the quota of an unverified visitor. */
export async function hashVisitorAddress(address: string): Promise<string> {
  return hashAddress((await loadAppSecrets()).current, address);
}

/**
 * Authorizes a session id and returns the session. Session ids are signed, so an expired one is recognized although nothing
 * is stored for it.
 * @throws ServiceError `not_found` if this website never issued the id, `session_expired` if the session has expired
 */
export async function authorizeEmbedSession(principal: EmbedKeyPrincipal, id: string): Promise<StoredEmbedSession> {
  const { recent } = await loadAppSecrets();
  const conversationId = verifyWithAny(recent, (secret) => verifySessionId(secret, principal, id));
  if (conversationId === null) throw notFound();
  const session = await findEmbedSession(principal, conversationId);
  if (!session) throw sessionExpired();
  return session;
}

/**
 * Rejects sessions of unverified visitors if the embed key now requires a signature.
 * @throws ServiceError `visitor_not_verified`
 */
export function requireVerifiedVisitor(
  { identified_as, counted_for }: StoredEmbedSession,
  signatureRequired: boolean,
): void {
  // Messages of unverified visitors are counted for their address.
  if (signatureRequired && counted_for !== identified_as) throw new ServiceError("visitor_not_verified");
}

/** Returns the principal that chats on behalf of a session. */
export function toVisitorPrincipal(
  { tenantId }: EmbedKeyPrincipal,
  { visitor_id }: StoredEmbedSession,
): VisitorPrincipal {
  return { kind: "visitor", tenantId, userId: visitor_id, expiresAt: null };
}
