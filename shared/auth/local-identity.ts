import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { identityRule, isTenantId, parseIdentityHeader, parseRoleNames, type UserPrincipal } from "./principal.ts";

/**
 * Reads the identity in local mode from three headers, with the `DEV_*` settings as defaults.
 * @throws ServiceError `unauthorized` if an id is missing or malformed
 */
export function getLocalUser(headers: RequestHeaders): UserPrincipal {
  const { DEV_TENANT_ID, DEV_USER_ID, DEV_USER_ROLES } = env("DEV_TENANT_ID", "DEV_USER_ID", "DEV_USER_ROLES");
  const tenantId = headers["x-tenant-id"] ?? DEV_TENANT_ID;
  const identity = parseIdentityHeader(headers["x-user-id"] ?? DEV_USER_ID);
  if (!isTenantId(tenantId) || !identity) {
    throw new ServiceError(
      "unauthorized",
      `x-tenant-id must be 1 to 128 characters from A-Z a-z 0-9 . _ : @ | -, and x-user-id, percent-encoded, ${identityRule}.`,
    );
  }
  return {
    kind: "user",
    tenantId,
    ...identity,
    roles: parseRoleNames(headers["x-user-roles"] ?? DEV_USER_ROLES),
    email: null,
    name: null,
    provider: "local",
    expiresAt: null,
  };
}
