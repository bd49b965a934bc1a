import type { Capability } from "../api/capabilities.ts";
import { type KeyOwner, userOwner } from "../dynamodb/key-owner.ts";
import { ServiceError } from "../lib/errors.ts";

/**
 * Users who may read the same documents, which have a search index of their own: all users of the tenant, one user, or those
 * whom lists of readers name (`toAudience`).
 */
export type Audience = KeyOwner;

/**
 * Reader of knowledge. Without a user id, as for API keys and widget visitors, only knowledge of the whole tenant is
 * readable.
 */
export interface KnowledgeReader {
  readonly tenantId: string;
  readonly userId: string | null;
}

/** Returns the audiences of a user, or of a caller without user id, that exist without lists of readers. */
export const userAudiences = (userId: string | null): Audience[] =>
  userId === null ? ["tenant"] : ["tenant", userOwner(userId)];

/**
 * Requires that a user may change a resource: as one of its owners or as an administrator.
 * @throws ServiceError `forbidden`
 */
export function requireOwnerOrAdmin(
  userId: string,
  owners: readonly (string | null)[],
  permissions: ReadonlySet<Capability>,
): void {
  if (owners.includes(userId) || permissions.has("rbac.manage")) return;
  throw new ServiceError("forbidden", "Only the owner or an administrator can change this resource.");
}

/** Prefix of query parameters that filter by metadata. */
const METADATA_PREFIX = "metadata.";

/** Returns the metadata filters in query parameters such as `metadata.author=…`; an empty object if there are none. */
export function parseMetadataFilters(parameters: Readonly<Record<string, string>>): {
  metadata?: Record<string, string>;
} {
  const filters = Object.entries(parameters)
    .filter(([name]) => name.startsWith(METADATA_PREFIX))
    .map(([name, value]) => [name.slice(METADATA_PREFIX.length), value] as const);
  return filters.length > 0 ? { metadata: Object.fromEntries(filters) } : {};
}
