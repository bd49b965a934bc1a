import { appSecret } from "../auth/app-secret.ts";
import type { EmbedKeyPrincipal, VisitorPrincipal } from "../auth/principal.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { findEmbedSession, type StoredEmbedSession, sessionExpired } from "./embed-session-store.ts";
import { addressName, conversationOfSession, isVisitorSignature, visitorId, visitorSecret } from "./visitors.ts";

/** What a website says about who is in front of it. */
export interface StatedVisitor {
  readonly id: string;
  readonly signature?: string;
}

/** A visitor as far as it is known. */
export interface KnownVisitor {
  /** Within the tenant; null for who is nobody in particular. */
  readonly id: string | null;
  /** Whether the website has signed that it is this one. */
  readonly verified: boolean;
}

/**
 * Who a visitor is.
 * @param required whether only those may chat whom the website has signed
 * @throws ServiceError `visitor_not_verified` for a signature that does not fit, or is missing where it is required
 */
export function verifyVisitor(
  principal: EmbedKeyPrincipal,
  stated: StatedVisitor | undefined,
  required: boolean,
): KnownVisitor {
  const signature = stated?.signature;
  const fits = signature && isVisitorSignature(visitorSecret(appSecret(), principal), stated.id, signature);
  if (signature ? !fits : required) throw new ServiceError("visitor_not_verified");
  return { id: stated ? visitorId(principal, stated.id) : null, verified: signature !== undefined };
}

/** The visitor of a fresh session: whoever is not known is somebody new each time. */
export function visitorOfNewSession(principal: EmbedKeyPrincipal, known: KnownVisitor): string {
  return known.id ?? visitorId(principal, newId());
}

/** A client's address as a name for whom messages are counted: who is not verified is told apart by it. */
export function addressOfVisitor(address: string): string {
  return addressName(appSecret(), address);
}

/**
 * The session that an id opens on this website. One that is not found but was made here is over: nothing has to be kept to
 * know.
 * @throws ServiceError `not_found` for what never was a session of this website, `session_expired` for what is none any more
 */
export async function openEmbedSession(principal: EmbedKeyPrincipal, id: string): Promise<StoredEmbedSession> {
  const conversationId = conversationOfSession(appSecret(), principal, id);
  if (conversationId === null) throw notFound();
  const session = await findEmbedSession(principal, conversationId);
  if (!session) throw sessionExpired();
  return session;
}

/**
 * Sees to it that those who came unsigned do not go on once the key asks for a signature.
 * @throws ServiceError `visitor_not_verified`
 */
export function requireVerified({ identified_as, counted_for }: StoredEmbedSession, required: boolean): void {
  // Messages of who is not verified are counted by the address.
  if (required && counted_for !== identified_as) throw new ServiceError("visitor_not_verified");
}

/** The visitor of a session as somebody who can have a conversation. */
export function visitorOf({ tenantId }: EmbedKeyPrincipal, { visitor_id }: StoredEmbedSession): VisitorPrincipal {
  return { kind: "visitor", tenantId, userId: visitor_id, expiresAt: null };
}
