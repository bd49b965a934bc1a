import * as v from "valibot";
import { isPersonId } from "../../auth/principal.ts";
import { itemAccess } from "../../dynamodb/access.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import {
  absent,
  allOf,
  anyOf,
  type Condition,
  equals,
  exists,
  lacksAttribute,
  type Write,
} from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { getOrCreateTenant } from "../tenant-store.ts";
import {
  countMemberWrite,
  defaultProfile,
  newUser,
  type Profile,
  readUser,
  rememberUser,
  type StoredUser,
  toUserItem,
} from "../user-store.ts";

export const scimNameAccess = itemAccess("scimName", "get", "put", "delete");

/** Name by which an identity provider finds a user. User names are in lower case. */
interface ScimName {
  readonly kind: "user-name" | "external-id";
  readonly name: string;
}

/** Properties of a user that an identity provider determines. */
export interface Provision extends Pick<Profile, "name" | "email"> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isActive: boolean;
}

const readScimName = itemReader(v.object({ user_id: v.string() }));

/** The user changed since it was read. */
export class UserChangedError extends Error {
  override name = "UserChangedError";
}

/** Tells whether a user exists for an identity provider. */
export const isProvisionable = (user: StoredUser): boolean => isPersonId(user.user_id) && !user.deprovisioned_at;

/** Returns the names that the attributes of a user reserve. */
function toScimNames(attributes: Readonly<Record<string, unknown>> = {}): ScimName[] {
  const { userName, externalId } = attributes;
  return [
    ...(typeof userName === "string" ? [{ kind: "user-name", name: userName.toLowerCase() } as const] : []),
    ...(typeof externalId === "string" ? [{ kind: "external-id", name: externalId } as const] : []),
  ];
}

const toKey = ({ tenantId }: TenantScope, { kind, name }: ScimName) => keys.scimName(tenantId, kind, name);

export async function findUserIdByScimName(scope: TenantScope, name: ScimName): Promise<string | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, name), { consistent: true });
  return item && readScimName(item).user_id;
}

/** Finds a user who exists for an identity provider. */
export async function findProvisionableUser(scope: TenantScope, userId: string): Promise<StoredUser | undefined> {
  const user = await findStoredUser(scope, userId);
  return user && isProvisionable(user) ? user : undefined;
}

/** Finds a user, also one that the identity provider deleted. */
export async function findStoredUser(scope: TenantScope, userId: string): Promise<StoredUser | undefined> {
  const item = await tenantTable(scope).get(keys.user(scope.tenantId, userId), { consistent: true });
  return item && readUser(item);
}

/** Returns all users who exist for an identity provider, in order of their ids. */
export async function listProvisionableUsers(scope: TenantScope): Promise<StoredUser[]> {
  const { gsi1pk } = indexKeys.userOfTenant(scope.tenantId, "");
  const users = (await tenantTable(scope).query({ index: "gsi1", pk: gsi1pk })).map(readUser);
  return users.filter(isProvisionable);
}

const nameTaken = (kind: ScimName["kind"]) =>
  new ServiceError("conflict", `Another user has this ${kind === "user-name" ? "userName" : "externalId"}.`, {
    details: { scimType: "uniqueness" },
  });

/** Returns the writes that release the names that a user no longer has and reserve the new ones. */
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

/** Returns the condition that a user has not changed since it was read. */
function toUnchanged({ version }: StoredUser): Condition {
  const hasVersion = equals({ version });
  return allOf([exists(), version === 0 ? anyOf([lacksAttribute("version"), hasVersion]) : hasVersion], onUserChanged);
}

/** Returns the write of the user, under the condition that it has not changed since it was read. */
function toUserWrite(scope: TenantScope, before: StoredUser | undefined, after: StoredUser): Write {
  if (!before) {
    return { put: toUserItem(scope, after), condition: absent(onUserChanged) };
  }
  const { name, email, deactivated_at, deprovisioned_at, scim } = after;
  return {
    update: keys.user(scope.tenantId, after.user_id),
    set: { name, email, deactivated_at, deprovisioned_at, scim, timestamp: now() },
    add: { version: 1 },
    condition: toUnchanged(before),
  };
}

/** Stores a user with the names that it has and the number of members that results. */
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
 * Creates a user whom an identity provider provisions, or replaces what it provisioned.
 * @param before the user as it was read; undefined if there was none
 * @throws ServiceError `conflict` if another user has one of the names, `forbidden` if the tenant has reached its limit of members
 * @throws UserChangedError
 */
export function provisionUser(
  scope: TenantScope,
  userId: string,
  before: StoredUser | undefined,
  { attributes, isActive, name, email }: Provision,
): Promise<StoredUser> {
  const at = timestamp();
  return storeUser(scope, before, {
    ...(before ?? newUser(userId, { ...defaultProfile, name, email }, at)),
    name,
    email,
    deactivated_at: isActive ? null : (before?.deactivated_at ?? at),
    deprovisioned_at: null,
    scim: { attributes: { ...attributes }, modified_at: at },
  });
}

/**
 * Deactivates a user whom the identity provider deleted, and forgets what it provisioned. The id stays, because what the user owns
 * and the audit trail name it.
 * @throws UserChangedError
 */
export async function deprovisionUser(scope: TenantScope, before: StoredUser): Promise<void> {
  const at = timestamp();
  const forgotten = { deactivated_at: before.deactivated_at ?? at, deprovisioned_at: at, scim: null };
  await storeUser(scope, before, { ...before, ...forgotten });
}

/** Deletes what tokens and the identity provider said about a person whose data is erased. The id stays. */
export async function forgetProfile(scope: TenantScope, userId: string): Promise<void> {
  const user = await findStoredUser(scope, userId);
  if (!user) return;
  await tenantTable(scope).transact([
    {
      update: keys.user(scope.tenantId, userId),
      set: { name: null, email: null, scim: null },
      add: { version: 1 },
      condition: toUnchanged(user),
    },
    ...toScimNames(user.scim?.attributes).map((name): Write => ({ delete: toKey(scope, name) })),
  ]);
}
