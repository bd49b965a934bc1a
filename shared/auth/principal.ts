import type { AlertPaths } from "../api/channels/alert-paths.ts";
import type { SignatureScheme } from "../api/channels/webhooks.ts";
import type { StricterActions } from "../api/governance/guardrail-policy.ts";
/** User authenticated by a JWT or, in local mode, by headers. */
export interface UserPrincipal {
  readonly kind: "user";
  readonly tenantId: string;
  readonly userId: string;
  /** Role names as the credential states them; the tenant defines which roles exist. */
  readonly roles: readonly string[];
  readonly email: string | null;
  readonly name: string | null;
  readonly provider: "jwt" | "local";
  /** Expiry of the credential in epoch seconds; null if it does not expire. */
  readonly expiresAt: number | null;
}

/** Program authenticated by an API key (`swk_…`). */
export interface ApiKeyPrincipal {
  readonly kind: "api-key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** Origins of pages that can read responses; `*` stands for all. */
  readonly allowedOrigins: readonly string[];
  /** Guardrail actions that are stricter than the tenant's policy. */
  readonly guardrails: StricterActions;
  /** Expiry of the key in epoch seconds; null if it does not expire. */
  readonly expiresAt: number | null;
}

/**
 * Visitor of a website with the chat widget, identified by a session and optionally by a visitor id from the website. A
 * visitor has no roles, groups, memories or notes, and can only access the knowledge of the website's persona.
 */
export interface VisitorPrincipal {
  readonly kind: "visitor";
  readonly tenantId: string;
  /** Starts with `~`, which user ids cannot contain, so visitors never share data with users. */
  readonly userId: string;
  readonly expiresAt: null;
}

/** Principal that can take part in a conversation. */
export type ChatPrincipal = UserPrincipal | VisitorPrincipal;

/** Website authenticated by its embed key. The visitor is not identified yet. */
export interface EmbedKeyPrincipal {
  readonly kind: "embed-key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly expiresAt: null;
}

/** Monitoring tool authenticated by its webhook signature; its alerts go to one conversation. */
export interface ChannelPrincipal {
  readonly kind: "channel";
  readonly tenantId: string;
  readonly keyId: string;
  readonly conversationId: string;
  readonly expiresAt: null;
  readonly signatureScheme: SignatureScheme;
  readonly alertPaths: AlertPaths | null;
}

/** Any authenticated caller. */
export type AnyPrincipal = UserPrincipal | ApiKeyPrincipal | EmbedKeyPrincipal | ChannelPrincipal;

/** Returns the identifier of a principal within its tenant, unique across all kinds of credentials. */
export function subjectOf(principal: AnyPrincipal): string {
  return principal.kind === "user" ? `user#${principal.userId}` : `${principal.kind}#${principal.keyId}`;
}

const idPattern = /^[A-Za-z0-9._:@|-]{1,128}$/;

/** Checks a tenant or user id from a credential: 1 to 128 characters from `[A-Za-z0-9._:@|-]`. */
export function isPrincipalId(value: unknown): value is string {
  return typeof value === "string" && idPattern.test(value);
}

/** Parses the role names of a claim or header: an array, or a text separated by spaces or commas. */
export function parseRoleNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((role): role is string => typeof role === "string");
  return typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : [];
}
