import * as v from "valibot";
import { type Identity, isPersonId } from "../../auth/principal.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { absent, type Condition, equals, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import { defaultProfile, newUser, type Profile, readUser, type StoredUser } from "../stored-user.ts";
import { getOrCreateTenant } from "../tenant-store.ts";
import { countMemberWrite, rememberUser, toUserItem } from "../user-store.ts";

/** Name by which an identity provider (SCIM) looks a user up. A user name is stored in lower case. */
interface ScimName {
  readonly kind: "user-name" | "external-id";
  readonly name: string;
}

/** Properties of a user that an identity provider provisions with SCIM. */
export interface Provision extends Pick<Profile, "name" | "email"> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isActive: boolean;
}

const readScimName = itemReader(v.object({ user_id: v.string() }));

/** Error if a user was changed since it was read. */
export class UserChangedError extends Error {
  override name = "UserChangedError";
}

/** Returns true if a user is visible to identity providers: a person whom none has deleted. */
export const isProvisionable = (user: StoredUser): boolean => isPersonId(user.user_id) && !user.deprovisioned_at;

/** Returns the unique names in the SCIM attributes of a user: `userName` and `externalId`. */
function toScimNames(attributes: Readonly<Record<string, unknown>> = {}): ScimName[] {
  const { userName, externalId } = attributes;
  return [
    ...(typeof userName === "string" ? [{ kind: "user-name", name: userName.toLowerCase() } as const] : []),
    ...(typeof externalId === "string" ? [{ kind: "external-id", name: externalId } as const] : []),
  ];
}

/** Maximum length of a name in a sort key, which has at most 1,024 bytes. */
const MAX_KEY_BYTES = 900;

/** Returns the key of a name. The hash of a long one starts with a control character, which names cannot contain. */
const toKey = ({ tenantId }: TenantScope, { kind, name }: ScimName) =>
  keys.scimName(tenantId, kind, Buffer.byteLength(name) <= MAX_KEY_BYTES ? name : `\0${sha256(name)}`);

export async function findUserIdByScimName(scope: TenantScope, name: ScimName): Promise<string | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, name), { consistent: true });
  return item && readScimName(item).user_id;
}

/** Returns a user who is visible to identity providers; undefined for a deleted user or a service. */
export async function findProvisionableUser(scope: TenantScope, userId: string): Promise<StoredUser | undefined> {
  const user = await findStoredUser(scope, userId);
  return user && isProvisionable(user) ? user : undefined;
}

/** Returns a user, including one whom the identity provider deleted. */
export async function findStoredUser(scope: TenantScope, userId: string): Promise<StoredUser | undefined> {
  const item = await tenantTable(scope).get(keys.user(scope.tenantId, userId), { consistent: true });
  return item && readUser(item);
}

/** Returns all users who are visible to identity providers, ordered by id. */
export async function listProvisionableUsers(scope: TenantScope): Promise<StoredUser[]> {
  const { gsi1pk } = indexKeys.userOfTenant(scope.tenantId, "");
  const users = (await tenantTable(scope).query({ index: "gsi1", pk: gsi1pk })).map(readUser);
  return users.filter(isProvisionable);
}

const nameTaken = (kind: ScimName["kind"]) =>
  new ServiceError("conflict", `Another user has this ${kind === "user-name" ? "userName" : "externalId"}.`, {
    details: { scimType: "uniqueness" },
  });

/**
 * Returns the writes that release names a user no longer has, and reserve new ones. Reserving a taken name throws
 * ServiceError `conflict`.
 */
function nameWrites(
  scope: TenantScope,
  userId: string,
  before: readonly ScimName[],
  after: readonly ScimName[],
): Write[] {
  const isIn = (names: readonly ScimName[], { kind, name }: ScimName) =>
    names.some((each) => each.kind === kind && each.name === name);
  return [
    ...before.filter((name) => !isIn(after, name)).map((name): Write => ({ delete: toKey(scope, name) })),
    ...after
      .filter((name) => !isIn(before, name))
      .map(
        (name): Write => ({
          put: { ...toKey(scope, name), discriminator: "scim-name", user_id: userId },
          condition: absent(() => nameTaken(name.kind)),
        }),
      ),
  ];
}

const onUserChanged = () => new UserChangedError();

/** Returns the condition that a user has not changed since it was read. If it fails, it throws `UserChangedError`. */
const toUnchanged = ({ version }: StoredUser): Condition => equals({ version }, onUserChanged);

/**
 * Returns the write that creates or changes a user. It throws `UserChangedError` if the user has changed since it was
 * read.
 */
function toUserWrite(scope: TenantScope, before: StoredUser | undefined, after: StoredUser): Write {
  if (!before) {
    return { put: toUserItem(scope, after), condition: absent(onUserChanged) };
  }
  const { external_id, name, email, deactivated_at, deprovisioned_at, scim, key_managed } = after;
  return {
    update: keys.user(scope.tenantId, after.user_id),
    set: { external_id, name, email, deactivated_at, deprovisioned_at, scim, key_managed, timestamp: now() },
    add: { version: 1 },
    condition: toUnchanged(before),
  };
}

/**
 * Stores a user, the user's unique names, and the tenant's member count if the user was activated or deactivated, in
 * one transaction.
 */
async function storeUser(scope: TenantScope, before: StoredUser | undefined, after: StoredUser): Promise<StoredUser> {
  const { user_id } = after;
  const [wasActive, isActive] = [before && !before.deactivated_at, !after.deactivated_at].map(Boolean);
  const countWrite =
    wasActive === isActive ? null : countMemberWrite(scope, await getOrCreateTenant(scope), user_id, isActive ? 1 : -1);
  const namesOf = (user: StoredUser | undefined) => toScimNames(user?.scim?.attributes);
  await tenantTable(scope).transact([
    toUserWrite(scope, before, after),
    ...nameWrites(scope, user_id, namesOf(before), namesOf(after)),
    ...(countWrite ? [countWrite] : []),
  ]);
  const version = before ? before.version + 1 : after.version;
  return rememberUser(keys.user(scope.tenantId, user_id).pk, { ...after, version });
}

/**
 * Creates a user whom an identity provider provisions, or replaces the provisioned properties.
 * @param before user as it was read; undefined if it did not exist
 */
export function provisionUser(
  scope: TenantScope,
  identity: Identity,
  before: StoredUser | undefined,
  { attributes, isActive, name, email }: Provision,
): Promise<StoredUser> {
  const at = timestamp();
  return storeUser(scope, before, {
    ...(before ?? newUser(identity, { ...defaultProfile, name, email }, at)),
    external_id: identity.externalId ?? before?.external_id,
    name,
    email,
    deactivated_at: isActive ? null : (before?.deactivated_at ?? at),
    deprovisioned_at: null,
    scim: { attributes: { ...attributes }, modified_at: at },
    key_managed: false,
  });
}

/**
 * Deactivates a user whom the identity provider deleted, and deletes the provisioned attributes. The user's item stays,
 * because resources and the audit trail refer to its id.
 * @throws UserChangedError
 */
export async function deprovisionUser(scope: TenantScope, before: StoredUser): Promise<void> {
  const at = timestamp();
  const forgotten = { deactivated_at: before.deactivated_at ?? at, deprovisioned_at: at, scim: null };
  await storeUser(scope, before, { ...before, ...forgotten });
}

/**
 * Deletes name, email, provisioned attributes and the value of the identity provider of a user whose data is erased. The
 * item with the id stays. The next sign-in restores what its token contains.
 * @throws UserChangedError
 */
export async function forgetProfile(scope: TenantScope, userId: string): Promise<void> {
  const user = await findStoredUser(scope, userId);
  if (!user) return;
  await tenantTable(scope).transact([
    {
      update: keys.user(scope.tenantId, userId),
      set: { name: null, email: null, scim: null },
      remove: ["external_id"],
      add: { version: 1 },
      condition: toUnchanged(user),
    },
    ...toScimNames(user.scim?.attributes).map((name): Write => ({ delete: toKey(scope, name) })),
  ]);
}
