import type { JWTPayload } from "jose";
import { ServiceError } from "../lib/errors.ts";
import { isTenantId, parseRoleNames, toIdentity, type UserPrincipal } from "./principal.ts";

/** Names of the token claims with the attributes of a user; null for an attribute that the provider's tokens lack. */
export interface ClaimNames {
  readonly user_id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly roles: string | null;
  readonly groups: string | null;
}

/**
 * Maximum number of group names in a token, and maximum sum of their lengths, because API Gateway caches them with the user.
 * Further groups are ignored.
 */
const MAX_GROUPS = 50;
const MAX_GROUPS_LENGTH = 4_000;

/**
 * Returns the names of the groups; undefined if they are not known, so that memberships stay as they are: the names are too long, or
 * too many for the token, which then tells where to request them.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#AggregatedDistributedClaims
 */
function parseGroupNames(payload: JWTPayload, claim: string): string[] | undefined {
  const { [claim]: value, _claim_names: distributed, hasgroups } = payload;
  const isElsewhere = Object.hasOwn(Object(distributed ?? {}), claim) || String(hasgroups) === "true";
  if (value === undefined && isElsewhere) return undefined;
  const names = (Array.isArray(value) ? value : [value]).filter((name): name is string => typeof name === "string");
  const kept = names.slice(0, MAX_GROUPS);
  return kept.join("").length > MAX_GROUPS_LENGTH ? undefined : kept;
}

/**
 * Returns the user whom the claims of a verified token name.
 * @throws ServiceError `unauthorized` if they name no valid tenant or user
 */
export function toTokenPrincipal(payload: JWTPayload, tenantId: unknown, claims: ClaimNames): UserPrincipal {
  const identity = toIdentity(payload[claims.user_id]);
  if (!isTenantId(tenantId) || !identity) {
    throw new ServiceError("unauthorized", "The token has no valid tenant or user claim.");
  }
  const groupNames = claims.groups === null ? undefined : parseGroupNames(payload, claims.groups);
  const toText = (name: string | null) => (name !== null && typeof payload[name] === "string" ? payload[name] : null);
  return {
    kind: "user",
    tenantId,
    ...identity,
    roles: claims.roles === null ? ["member"] : parseRoleNames(payload[claims.roles]),
    email: toText(claims.email),
    name: toText(claims.name),
    provider: "jwt",
    expiresAt: payload.exp ?? null,
    ...(groupNames && { groupNames }),
  };
}
