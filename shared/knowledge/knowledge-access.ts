import type { Capability } from "../api/capabilities.ts";
import type { Collection } from "../api/knowledge/collections.ts";
import { type KeyOwner, userOwner } from "../dynamodb/key-owner.ts";
import { notFound, ServiceError } from "../lib/errors.ts";

/** Group of users who may read a collection: all users of the tenant, or only its owner. */
export type Audience = KeyOwner;

/**
 * Reader of knowledge. Without a user id, as for API keys and widget visitors, only collections of the tenant are
 * readable.
 */
export interface KnowledgeReader {
  readonly tenantId: string;
  readonly userId: string | null;
}

type CollectionAccess = Pick<Collection, "owner_id" | "visibility">;

export function getAudience({ visibility, owner_id }: CollectionAccess): Audience {
  return visibility === "tenant" ? "tenant" : userOwner(owner_id);
}

/** Returns the audiences to which a reader belongs. */
export function getAudiences({ userId }: KnowledgeReader): Audience[] {
  return userId === null ? ["tenant"] : ["tenant", userOwner(userId)];
}

export function canRead(reader: KnowledgeReader, collection: CollectionAccess): boolean {
  return getAudiences(reader).includes(getAudience(collection));
}

/**
 * Requires that the reader may read the collection.
 * @throws ServiceError `not_found`
 */
export function authorizeReader(reader: KnowledgeReader, collection: CollectionAccess): void {
  if (!canRead(reader, collection)) throw notFound();
}

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
