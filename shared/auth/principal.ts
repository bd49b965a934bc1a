/** A person known by a token (or, in local mode, by headers). */
export interface UserPrincipal {
  readonly kind: "user";
  readonly tenantId: string;
  readonly userId: string;
  /** Role names as the credential states them; which of them mean anything is the tenant's say. */
  readonly roles: readonly string[];
  readonly email: string | null;
  readonly name: string | null;
  readonly provider: "jwt" | "local";
  /** Epoch seconds after which the credential is void; null where it does not expire. */
  readonly expiresAt: number | null;
}

/** A program known by an `swk_` key. */
export interface ApiKeyPrincipal {
  readonly kind: "api-key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** Epoch seconds after which the key is void; null where it does not expire. */
  readonly expiresAt: number | null;
}

/**
 * Somebody in front of a website: known by a session, and at most by what the website says. A visitor has no roles,
 * groups, memories or notes, and knows nothing but what the persona of the website knows.
 */
export interface VisitorPrincipal {
  readonly kind: "visitor";
  readonly tenantId: string;
  /** Begins with `~`, which no user id can: so what is a visitor's is nobody else's. */
  readonly userId: string;
  readonly expiresAt: null;
}

/** Whoever can have a conversation. */
export type ChatPrincipal = UserPrincipal | VisitorPrincipal;

/** A website known by its embed key; who sits in front of it is not known. */
export interface EmbedKeyPrincipal {
  readonly kind: "embed-key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly expiresAt: null;
}

/** A monitoring tool known by its signature; what it sends goes to one conversation. */
export interface ChannelPrincipal {
  readonly kind: "channel";
  readonly tenantId: string;
  readonly keyId: string;
  readonly conversationId: string;
  readonly expiresAt: null;
}

/** Anybody a request can come from. */
export type AnyPrincipal = UserPrincipal | ApiKeyPrincipal | EmbedKeyPrincipal | ChannelPrincipal;

/** Who a principal is within its tenant, over all kinds of credentials. */
export function subjectOf(principal: AnyPrincipal): string {
  return principal.kind === "user" ? `user#${principal.userId}` : `${principal.kind}#${principal.keyId}`;
}

const idPattern = /^[A-Za-z0-9._:@|-]{1,128}$/;

/** Whether a tenant or user id may be taken from a credential: 1..128 of `[A-Za-z0-9._:@|-]`. */
export function isPrincipalId(value: unknown): value is string {
  return typeof value === "string" && idPattern.test(value);
}

/** Role names out of a claim or header: an array, or a text separated by spaces or commas. */
export function parseRoleNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((role): role is string => typeof role === "string");
  return typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : [];
}
