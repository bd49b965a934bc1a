import type { Capability } from "../api/capabilities.ts";
import type { AlertPaths } from "../api/channels/alert-paths.ts";
import type { SignatureScheme } from "../api/channels/webhooks.ts";
import type { StricterActions } from "../api/governance/guardrail-policy.ts";
import type { AccessClaims } from "./access-token.ts";

/** API key with which a program, or a page with an access token, calls `/v1`, and the limits that it sets to the caller. */
export interface UsedApiKey {
  readonly id: string;
  readonly hash: string;
  readonly scopes: readonly string[];
  /** Conversation that an access token is limited to. */
  readonly conversationId: string | null;
  /** Origins of pages that can read responses; `*` stands for all. */
  readonly allowedOrigins: readonly string[];
  /** Guardrail actions that are stricter than the tenant's policy. */
  readonly guardrails: StricterActions;
  /** User who created the key. */
  readonly creatorId: string;
  /** Permissions of the creator when the key was created. */
  readonly permissions: readonly Capability[];
}

/** User authenticated by a JWT or, in local mode, by headers; or a program with an API key. */
export interface UserPrincipal {
  readonly kind: "user";
  readonly tenantId: string;
  readonly userId: string;
  /** Role names as the credential states them; the tenant defines which roles exist. */
  readonly roles: readonly string[];
  readonly email: string | null;
  readonly name: string | null;
  readonly provider: "jwt" | "local" | "api_key" | "access_token";
  /** Expiry of the credential in epoch seconds; null if it does not expire. */
  readonly expiresAt: number | null;
  /** Names of groups in the token; missing if no claim is configured. */
  readonly groupNames?: readonly string[];
  /** Identity provider of the tenant that issued the token; missing for that of the deployment. */
  readonly issuerId?: string;
  /** Key of a program; missing for people. */
  readonly apiKey?: UsedApiKey;
}

/** Bearer of an API key or access token that the function verifies, because API Gateway caches what an authorizer returns. */
export interface KeyBearer {
  readonly kind: "key-bearer";
  readonly tenantId: "";
  readonly expiresAt: null;
  readonly claims: AccessClaims | null;
}

const SERVICE_PREFIX = "swk:";

/** Returns the user id under which an API key calls `/v1`. */
export const serviceIdOf = (keyId: string): string => SERVICE_PREFIX + keyId;

/** Returns the id of the API key of a service, or undefined for the id of a person. */
export const findKeyIdOf = (userId: string): string | undefined =>
  userId.startsWith(SERVICE_PREFIX) ? userId.slice(SERVICE_PREFIX.length) : undefined;

/** Program authenticated by an API key (`swk_…`) on the OpenAI-compatible API. */
export interface ApiKeyPrincipal {
  readonly kind: "api-key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** Origins of pages that can read responses; `*` stands for all. */
  readonly allowedOrigins: readonly string[];
  /** Guardrail actions that are stricter than the tenant's policy. */
  readonly guardrails: StricterActions;
  /** User who created the key; null if it is older than this field. */
  readonly creatorId: string | null;
  /** Permissions of the creator when the key was created. */
  readonly permissions: readonly Capability[];
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
  /** True if its alerts can start investigations. */
  readonly isInvestigated: boolean;
  /** True if its alerts are posted to a messenger. */
  readonly isPosted: boolean;
}

/** App of a Slack workspace, authenticated by the signature of Slack. Its payload names the person who acts. */
export interface SlackPrincipal {
  readonly kind: "slack";
  readonly tenantId: string;
  /** Id of the workspace in this service. */
  readonly keyId: string;
  readonly expiresAt: null;
  readonly teamId: string | null;
  readonly botUserId: string | null;
}

/** Bot of a Teams workspace, authenticated by the token of the Bot Connector service. Its payload names the person who acts. */
export interface TeamsPrincipal {
  readonly kind: "teams";
  readonly tenantId: string;
  /** Id of the workspace in this service. */
  readonly keyId: string;
  readonly expiresAt: null;
  readonly appId: string;
  /** Organization that is connected; null before. */
  readonly teamsTenantId: string | null;
}

/**
 * Operator of the deployment, authenticated by its deployment key, who manages tenants. What belongs to no tenant, such as the
 * responses to its idempotent requests, is stored under an id that no tenant can have.
 */
export interface DeploymentPrincipal {
  readonly kind: "deployment";
  readonly tenantId: "~deployment";
  readonly keyId: "key";
  readonly expiresAt: null;
}

/** Any authenticated caller. */
export type AnyPrincipal =
  | UserPrincipal
  | ApiKeyPrincipal
  | EmbedKeyPrincipal
  | DeploymentPrincipal
  | ChannelPrincipal
  | SlackPrincipal
  | TeamsPrincipal;

/** Returns the identifier of a principal within its tenant, unique across all kinds of credentials. */
export function subjectOf(principal: AnyPrincipal): string {
  if (principal.kind !== "user") return `${principal.kind}#${principal.keyId}`;
  const { userId, apiKey } = principal;
  return apiKey ? `api-key#${apiKey.id} user#${userId}` : `user#${userId}`;
}

const idPattern = /^[A-Za-z0-9._:@|-]{1,128}$/;

/** Checks the id of a user that a credential names. Ids of services are reserved. */
export const isPersonId = (value: unknown): value is string =>
  isPrincipalId(value) && !value.startsWith(SERVICE_PREFIX);

/** Checks a tenant or user id from a credential: 1 to 128 characters from `[A-Za-z0-9._:@|-]`. */
export function isPrincipalId(value: unknown): value is string {
  return typeof value === "string" && idPattern.test(value);
}

/** Parses the role names of a claim or header: an array, or a text separated by spaces or commas. */
export function parseRoleNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((role): role is string => typeof role === "string");
  return typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : [];
}
