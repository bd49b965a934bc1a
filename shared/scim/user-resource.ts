import type { Group } from "../api/tenancy/access.ts";
import { etagHeader } from "../http/etag.ts";
import type { Provision } from "../tenancy/members/provisioned-user-store.ts";
import { externalIdOf, type StoredUser } from "../tenancy/stored-user.ts";
import { toAttributes } from "./attributes.ts";
import type { ScimObject } from "./filter.ts";
import { userSchema } from "./schemas.ts";
import { scimError } from "./scim-error.ts";

/** Maximum length of a user's SCIM attributes as JSON. Each request of the user reads them. */
const MAX_ATTRIBUTES_LENGTH = 8_000;

/** Maximum length of `userName` and `externalId`, which are part of table keys. */
const MAX_NAME_LENGTH = 256;

interface Email {
  readonly value?: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** Returns the version of a resource as a weak ETag, because responses for one version can contain different attributes. */
export const toVersion = (resource: { readonly version: number }): string => `W/${etagHeader(resource).etag}`;

/**
 * Returns the attributes of a user that clients can write. For a user whom no identity provider provisioned, these are the id
 * and the name and e-mail from the latest token.
 */
export function toUserAttributes(user: StoredUser): ScimObject {
  const { name, email, scim } = user;
  if (scim) return scim.attributes;
  return {
    userName: externalIdOf(user),
    ...(name && { displayName: name }),
    ...(email && { emails: [{ value: email, primary: true }] }),
  };
}

/**
 * Returns the SCIM resource of a user.
 * @param base base URL of the SCIM API: `https://chat.example.com/scim/v2`
 * @param groups groups of the user; undefined if the response does not contain them
 */
export function toScimUser(base: string, user: StoredUser, groups: readonly Group[] | undefined): ScimObject {
  const { user_id: id, deactivated_at, scim, created_at } = user;
  return {
    schemas: [userSchema.id],
    id,
    ...toUserAttributes(user),
    active: deactivated_at === null,
    ...(groups && {
      groups: groups.map((group) => ({
        value: group.id,
        $ref: `${base}/Groups/${group.id}`,
        display: group.name,
        type: "direct",
      })),
    }),
    meta: {
      resourceType: "User",
      created: created_at,
      lastModified: scim?.modified_at ?? created_at,
      location: `${base}/Users/${encodeURIComponent(id)}`,
      version: toVersion(user),
    },
  };
}

function requireName(name: string, value: unknown): void {
  if (
    typeof value === "string" &&
    value.trim() !== "" &&
    [...value].length <= MAX_NAME_LENGTH &&
    !/\p{Cc}/u.test(value)
  )
    return;
  throw scimError(
    "invalidValue",
    `${name} must be a text of 1 to ${MAX_NAME_LENGTH} characters without control characters.`,
  );
}

/** Returns the name by which other users see the user: the display name, or the parts of the name. */
function toDisplayName({ displayName, name }: ScimObject): string | null {
  const { formatted, givenName, familyName } = (name ?? {}) as Record<string, string | undefined>;
  return (displayName as string | undefined) || formatted || [givenName, familyName].filter(Boolean).join(" ") || null;
}

/** Removes the mark `primary` from all e-mail addresses except the last one that has it. */
function withOnePrimary(emails: readonly Email[]): Email[] {
  const primary = emails.findLastIndex((email) => email.primary);
  return emails.map(({ primary: _, ...email }, index) => (index === primary ? { ...email, primary: true } : email));
}

/**
 * Reads the properties of a user from a request body.
 * @param body the complete user
 * @param isActive state to keep if the body has no `active`
 * @throws ServiceError with the type `invalidValue`
 */
export function toProvision(body: ScimObject, isActive: boolean): Provision {
  const { active = isActive, ...others } = toAttributes(userSchema, body);
  requireName("userName", others.userName);
  if (others.externalId !== undefined) requireName("externalId", others.externalId);
  const emails = withOnePrimary((others.emails ?? []) as Email[]);
  const attributes = { ...others, ...(emails.length > 0 && { emails }) };
  if (JSON.stringify(attributes).length > MAX_ATTRIBUTES_LENGTH) {
    throw scimError("invalidValue", `A user must have at most ${MAX_ATTRIBUTES_LENGTH} characters as JSON.`);
  }
  const email = emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type === "work") ?? emails[0];
  return { attributes, isActive: active === true, name: toDisplayName(attributes), email: email?.value ?? null };
}
