import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { isPersonId, isPrincipalId, parseRoleNames, type UserPrincipal } from "./principal.ts";

/**
 * Reads the identity in local mode from three headers, with the `DEV_*` settings as defaults.
 * @throws ServiceError `unauthorized` if an id is missing or malformed
 */
export function getLocalUser(headers: RequestHeaders): UserPrincipal {
  const { DEV_TENANT_ID, DEV_USER_ID, DEV_USER_ROLES } = env("DEV_TENANT_ID", "DEV_USER_ID", "DEV_USER_ROLES");
  const tenantId = headers["x-tenant-id"] ?? DEV_TENANT_ID;
  const userId = headers["x-user-id"] ?? DEV_USER_ID;
  if (!isPrincipalId(tenantId) || !isPersonId(userId)) {
    throw new ServiceError(
      "unauthorized",
      "x-tenant-id and x-user-id must be 1 to 128 characters from A-Z a-z 0-9 . _ : @ | -",
    );
  }
  return {
    kind: "user",
    tenantId,
    userId,
    roles: parseRoleNames(headers["x-user-roles"] ?? DEV_USER_ROLES),
    email: null,
    name: null,
    provider: "local",
    expiresAt: null,
  };
}
