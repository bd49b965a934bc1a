import { isUserId } from "../api/user-ids.ts";
import type { StoredGroup } from "../tenancy/group-store.ts";
import { type Projection, toAttributes } from "./attributes.ts";
import type { ScimObject } from "./filter.ts";
import { groupSchema } from "./schemas.ts";
import { scimError } from "./scim-error.ts";
import { resourceReply } from "./scim-format.ts";
import { toVersion } from "./user-resource.ts";

const MAX_NAME_LENGTH = 100;

/** Returns the attributes of a group that clients can write. */
export const toGroupAttributes = ({ name, external_id, member_ids }: StoredGroup): ScimObject => ({
  displayName: name,
  ...(external_id && { externalId: external_id }),
  members: member_ids.map((value) => ({ value, type: "User" })),
});

/**
 * Returns the SCIM resource of a group.
 * @param base base URL of the SCIM API
 */
export function toScimGroup(base: string, group: StoredGroup): ScimObject {
  const { id, member_ids, timestamp } = group;
  // The id is a UUIDv7, which starts with the time of its creation.
  const created = new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toISOString();
  return {
    schemas: [groupSchema.id],
    id,
    ...toGroupAttributes(group),
    members: member_ids.map((value) => ({
      value,
      $ref: `${base}/Users/${encodeURIComponent(value)}`,
      type: "User",
    })),
    meta: {
      resourceType: "Group",
      created,
      lastModified: timestamp ? new Date(timestamp).toISOString() : created,
      location: `${base}/Groups/${id}`,
      version: toVersion(group),
    },
  };
}

/** Properties of a group that the identity provider sets. */
type ProvisionedGroup = Pick<StoredGroup, "name" | "external_id" | "member_ids">;

/**
 * Reads the properties of a group from a request body.
 * @throws ServiceError with the type `invalidValue`
 */
export function toProvisionedGroup(body: ScimObject): ProvisionedGroup {
  const { displayName, externalId, members = [] } = toAttributes(groupSchema, body);
  const name = typeof displayName === "string" ? displayName.trim() : "";
  if (name === "" || name.length > MAX_NAME_LENGTH) {
    throw scimError("invalidValue", `displayName must be a text of 1 to ${MAX_NAME_LENGTH} characters.`);
  }
  const ids = (members as readonly { readonly value?: string; readonly type?: string }[]).map(({ value, type }) => {
    if (type?.toLowerCase() === "group" || value === undefined || !isUserId(value)) {
      throw scimError("invalidValue", "Members must be users, with their ids as values.");
    }
    return value;
  });
  return { name, external_id: (externalId as string | undefined) ?? null, member_ids: [...new Set(ids)] };
}

export const groupReply = (status: 200 | 201, base: string, group: StoredGroup, projection: Projection) =>
  resourceReply(status, toScimGroup(base, group), projection);
