import type { Capability } from "../api/capabilities.ts";
import type { Collection } from "../api/knowledge/collections.ts";
import { notFound, ServiceError } from "../lib/errors.ts";

/** Who may read something: everybody in the tenant, or one person. */
export type Audience = "tenant" | `user#${string}`;

/** Whoever wants to read knowledge; without a user (a visitor, a program) only what the tenant shares is there. */
export interface KnowledgeReader {
  readonly tenantId: string;
  readonly userId: string | null;
}

type Owned = Pick<Collection, "owner_id" | "visibility">;

/** Who may read what is in a collection. */
export function audienceOf({ visibility, owner_id }: Owned): Audience {
  return visibility === "tenant" ? "tenant" : `user#${owner_id}`;
}

/** The audiences that a reader is part of. */
export function audiencesOf({ userId }: KnowledgeReader): Audience[] {
  return userId === null ? ["tenant"] : ["tenant", `user#${userId}`];
}

/** Whether the reader may read what is in the collection. */
export function mayRead(reader: KnowledgeReader, collection: Owned): boolean {
  return audiencesOf(reader).includes(audienceOf(collection));
}

/** @throws ServiceError `not_found` where the reader may not even see the collection */
export function requireReader(reader: KnowledgeReader, collection: Owned): void {
  if (!mayRead(reader, collection)) throw notFound();
}

/**
 * Changing and deleting is for those a thing belongs to, and for administrators.
 * @throws ServiceError `forbidden`
 */
export function requireKeeper(
  userId: string,
  owners: readonly (string | null)[],
  permissions: ReadonlySet<Capability>,
): void {
  if (owners.includes(userId) || permissions.has("rbac.manage")) return;
  throw new ServiceError("forbidden", "Only its owner or an administrator may do this.");
}

/** Begins the name of a query parameter that filters by metadata. */
const metadataPrefix = "metadata.";

/** The filters by metadata among the parameters of a query; empty where there are none. */
export function metadataFilters(parameters: Readonly<Record<string, string>>): { metadata?: Record<string, string> } {
  const filters = Object.entries(parameters)
    .filter(([name]) => name.startsWith(metadataPrefix))
    .map(([name, value]) => [name.slice(metadataPrefix.length), value] as const);
  return filters.length > 0 ? { metadata: Object.fromEntries(filters) } : {};
}
