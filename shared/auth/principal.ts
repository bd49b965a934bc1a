import { createHash } from "node:crypto";
import type { Capability } from "../api/capabilities.ts";
import type { StricterActions } from "../api/governance/guardrail-policy.ts";
import type { PersonaToolServer } from "../api/personas/persona.ts";
import {
  escapeIdentityValue,
  HASH_PREFIX,
  isIdentityValue,
  isUserId,
  SERVICE_PREFIX,
  toIdentityValue,
} from "../api/user-ids.ts";
import type { AlertPaths } from "../api/webhooks/alert-paths.ts";
import type { SignatureScheme } from "../api/webhooks/webhooks.ts";
import type { AccessClaims } from "./access-token.ts";

/**
 * API key of a request to `/v1`, used by a program directly or by a page through an access token, with the limits that it
 * imposes.
 */
export interface UsedApiKey {
  readonly id: string;
  readonly hash: string;
  readonly scopes: readonly string[];
  /** Only conversation that the access token gives access to; null if it is not limited. */
  readonly conversationId: string | null;
  /** Origins of the web pages that may read responses (CORS); `*` stands for all. */
  readonly allowedOrigins: readonly string[];
  /** Guardrail actions for this key, which are stricter than the tenant's policy. */
  readonly guardrails: StricterActions;
  /** User who created the key. */
  readonly creatorId: string;
  /** Permissions that the creator had when the key was created. */
  readonly permissions: readonly Capability[];
}

/** User who is authenticated by a JWT or, in local mode, by headers; also a program that calls `/v1` with an API key. */
export interface UserPrincipal {
  readonly kind: "user";
  readonly tenantId: string;
  readonly userId: string;
  /** Role names as the credential states them. The tenant defines which of these roles exist. */
  readonly roles: readonly string[];
  readonly email: string | null;
  readonly name: string | null;
  /** Value of the identity provider if the user's id does not contain it. */
  readonly externalId?: string;
  readonly provider: "jwt" | "local" | "api_key" | "access_token";
  /** Expiry of the credential in epoch seconds; null if it does not expire. */
  readonly expiresAt: number | null;
  /** Names of the user's groups from the token; missing if no claim is configured for them, or if the token leaves them out. */
  readonly groupNames?: readonly string[];
  /** Id of the tenant's identity provider that issued the token; missing if the deployment's provider did. */
  readonly issuerId?: string;
  /** Set if the caller uses an API key instead of a user's token. */
  readonly apiKey?: UsedApiKey;
}

/**
 * Caller with an API key or access token that is not verified yet. The function verifies it, because API Gateway would cache
 * the result of an authorizer and ignore a revocation.
 */
export interface KeyBearer {
  readonly kind: "key-bearer";
  readonly tenantId: "";
  readonly expiresAt: null;
  readonly claims: AccessClaims | null;
}

/** Returns the user id under which an API key calls `/v1`. */
export const serviceIdOf = (keyId: string): string => SERVICE_PREFIX + keyId;

/** Returns the id of the API key in a user id that `serviceIdOf` created, or undefined for the id of a person. */
export const findKeyIdOf = (userId: string): string | undefined =>
  userId.startsWith(SERVICE_PREFIX) ? userId.slice(SERVICE_PREFIX.length) : undefined;

/** Program authenticated by an API key (`swk_…`) on the OpenAI-compatible API. */
export interface ApiKeyPrincipal {
  readonly kind: "api-key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  /** Origins of the web pages that may read responses (CORS); `*` stands for all. */
  readonly allowedOrigins: readonly string[];
  /** Guardrail actions for this key, which are stricter than the tenant's policy. */
  readonly guardrails: StricterActions;
  /** User who created the key. */
  readonly creatorId: string;
  /** Permissions that the creator had when the key was created. */
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
  /** Id that starts with `~`, which ids of users cannot contain, so that visitors never share data with users. */
  readonly userId: string;
  readonly expiresAt: null;
  /** Id of the embed key of the website. */
  readonly keyId: string;
  /** Visitor as a valid token of the website names it; null without one. */
  readonly signed: { readonly sub: string; readonly email: string | null } | null;
  /** Tools of servers that the assistant can call for the visitor. */
  readonly toolServers: readonly PersonaToolServer[];
  /** Values that the visitor entered before the chat, by the names of the fields; null without a form. */
  readonly form: Readonly<Record<string, string>> | null;
  /** Id of the embed key if the visitor can be handed over to a person; null if not. */
  readonly handoverKeyId: string | null;
}

export type ChatPrincipal = UserPrincipal | VisitorPrincipal;

/** Website that is authenticated by its embed key, without an identified visitor. */
export interface EmbedKeyPrincipal {
  readonly kind: "embed-key";
  readonly tenantId: string;
  readonly keyId: string;
  readonly expiresAt: null;
}

/** Monitoring tool that is authenticated by its webhook signature. Its alerts go to one conversation. */
export interface ChannelPrincipal {
  readonly kind: "channel";
  readonly tenantId: string;
  readonly keyId: string;
  readonly conversationId: string;
  readonly expiresAt: null;
  readonly signatureScheme: SignatureScheme;
  readonly alertPaths: AlertPaths | null;
  /** True if alerts are recorded as incidents, which they are unless they are tests or replayed. */
  readonly isRecorded: boolean;
  /** True if the channel's alerts are also posted to a messenger. */
  readonly isPosted: boolean;
}

/** Slack app of a workspace, authenticated by Slack's signature. The request body names the person who acts. */
export interface SlackPrincipal {
  readonly kind: "slack";
  readonly tenantId: string;
  /** Id of the connected workspace in this service, not in Slack. */
  readonly keyId: string;
  readonly expiresAt: null;
  readonly teamId: string | null;
  readonly botUserId: string | null;
}

/**
 * Bot of a Teams workspace, authenticated by a token of the Bot Connector service. The request body names the person who
 * acts.
 */
export interface TeamsPrincipal {
  readonly kind: "teams";
  readonly tenantId: string;
  /** Id of the connected workspace in this service, not in Teams. */
  readonly keyId: string;
  readonly expiresAt: null;
  readonly appId: string;
  /** Microsoft 365 tenant that the bot is connected to; null before the connection. */
  readonly teamsTenantId: string | null;
}

/**
 * Operator of the deployment, who manages tenants and is authenticated by the deployment key. The tenant id is a reserved
 * one, under which data is stored that belongs to no tenant, such as responses to idempotent requests.
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

/** Returns an identifier of the principal that is unique within its tenant, across all kinds of credentials. */
export function subjectOf(principal: AnyPrincipal): string {
  if (principal.kind !== "user") return `${principal.kind}#${principal.keyId}`;
  const { userId, apiKey } = principal;
  return apiKey ? `api-key#${apiKey.id} user#${userId}` : `user#${userId}`;
}

/** Returns true for the id of a person, not of an API key or a visitor. */
export const isPersonId = (userId: string): boolean => isUserId(userId) && !userId.startsWith(SERVICE_PREFIX);

/** Person as a credential names it. */
export interface Identity {
  readonly userId: string;
  /** Value of the identity provider if the id does not contain it. */
  readonly externalId?: string;
}

/**
 * Returns the id of the person whom a token, a provisioning or a back end names by a value: up to 255 characters, compared
 * exactly. Two values never have the same id.
 * @returns undefined for a value that cannot name a person
 */
export function toIdentity(value: unknown): Identity | undefined {
  if (typeof value !== "string" || !isIdentityValue(value)) return undefined;
  const userId = escapeIdentityValue(value);
  if (userId !== undefined) return { userId };
  return { userId: HASH_PREFIX + createHash("sha256").update(value).digest("base64url"), externalId: value };
}

/**
 * Returns the person whom a header names. Header values are ASCII, so that other characters and `%` are percent-encoded as UTF-8.
 * @returns undefined for a value that cannot name a person
 */
export function parseIdentityHeader(text: string): Identity | undefined {
  if (!/^[ -~]*$/.test(text)) return undefined;
  try {
    return toIdentity(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

/** Returns the value by which the identity provider, and so people, know a person. */
export const externalIdOfCaller = ({ userId, externalId }: Identity): string => externalId ?? toIdentityValue(userId);

/** Sentence about the values that name a person. */
export const identityRule =
  "1 to 255 characters, not blank, without control characters, and neither start with swk: nor have the form of an escaped id";

const tenantIdPattern = /^[A-Za-z0-9._:@|-]{1,128}$/;

/** Checks the id of a tenant in a credential: 1 to 128 characters from `[A-Za-z0-9._:@|-]`. */
export function isTenantId(value: unknown): value is string {
  return typeof value === "string" && tenantIdPattern.test(value);
}

/** Parses the role names of a claim or header: an array, or a text separated by spaces or commas. */
export function parseRoleNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((role): role is string => typeof role === "string");
  return typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : [];
}
