import type { Capability } from "../api/capabilities.ts";
import { type Identity, identityRule, toIdentity } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";
import { changedConcurrently, notFound, requireFound } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { retry } from "../lib/retry.ts";
import { authorizeGrant, resolveUserRights } from "../tenancy/access-rights.ts";
import { deleteMembership, listGroupsOfUser } from "../tenancy/group-store.ts";
import {
  deprovisionUser,
  findProvisionableUser,
  findStoredUser,
  isProvisionable,
  provisionUser,
  UserChangedError,
} from "../tenancy/members/provisioned-user-store.ts";
import type { StoredUser } from "../tenancy/stored-user.ts";
import type { ScimObject } from "./filter.ts";
import { requireVersion } from "./require-version.ts";
import { scimError } from "./scim-error.ts";
import { toProvision } from "./user-resource.ts";

/** Maximum number of attempts to change a user who is changed concurrently. */
const MAX_ATTEMPTS = 5;

/** Request of an identity provider to change users or groups, with the permissions of its API key. */
export interface ChangeRequest {
  readonly scope: TenantScope;
  readonly permissions: ReadonlySet<Capability>;
  readonly headers: RequestHeaders;
}

/**
 * Repeats a change, each time from the current state, while concurrent changes interfere.
 * @throws ServiceError `conflict` after five attempts
 */
const retryChanged = <Result>(change: () => Promise<Result>): Promise<Result> =>
  retry(change, {
    maxAttempts: MAX_ATTEMPTS,
    isRetryable: (error) => error instanceof UserChangedError,
    toError: () => changedConcurrently("The user"),
  });

/** Requires that the caller has all permissions of a user whom it activates or deactivates. */
async function authorizeActivation({ scope, permissions }: ChangeRequest, user: StoredUser): Promise<void> {
  const held = await resolveUserRights(scope, { userId: user.user_id, roles: user.roles });
  authorizeGrant(permissions, held.permissions);
}

/**
 * Returns a new user, whose id must equal the one of the user's tokens. The setting `SCIM_USER_ID` names the
 * attribute.
 */
function toUser(attributes: ScimObject): Identity {
  const isByUserName = env("SCIM_USER_ID").SCIM_USER_ID === "userName";
  const identity = toIdentity((isByUserName ? undefined : attributes.externalId) ?? attributes.userName);
  if (identity) return identity;
  throw scimError(
    "invalidValue",
    `The id of the user, ${isByUserName ? "userName" : "externalId or else userName"}, must be ${identityRule}.`,
  );
}

/**
 * Creates a user for an identity provider. A user who already signed in with a token but was not provisioned is taken over.
 * @throws ServiceError `conflict` if the user is already provisioned
 */
export function createScimUser(request: ChangeRequest, body: ScimObject): Promise<StoredUser> {
  const provision = toProvision(body, true);
  const identity = toUser(provision.attributes);
  return retryChanged(async () => {
    const before = await findStoredUser(request.scope, identity.userId);
    if (before?.scim) throw scimError("uniqueness", "The user exists.");
    if (before && (before.deactivated_at === null) !== provision.isActive) await authorizeActivation(request, before);
    return provisionUser(request.scope, identity, before, provision);
  });
}

/**
 * Changes a user.
 * @param toBody returns the complete user after the change, from the current one
 * @throws ServiceError `not_found`, `precondition_failed`; `forbidden` if the change activates or deactivates a user with
 * permissions that the caller lacks
 */
export function changeScimUser(
  request: ChangeRequest,
  userId: string,
  toBody: (user: StoredUser) => ScimObject,
): Promise<StoredUser> {
  return retryChanged(async () => {
    const user = requireFound(await findProvisionableUser(request.scope, userId));
    requireVersion(request.headers, user);
    const isActive = user.deactivated_at === null;
    const provision = toProvision(toBody(user), isActive);
    if (provision.isActive !== isActive) await authorizeActivation(request, user);
    return provisionUser(request.scope, { userId }, user, provision);
  });
}

/**
 * Removes a user from all groups and deprovisions the user.
 * @throws ServiceError `not_found`, `precondition_failed`, `forbidden`
 */
export async function deleteScimUser(request: ChangeRequest, userId: string): Promise<void> {
  await retryChanged(async () => {
    const user = await findStoredUser(request.scope, userId);
    if (!user || !isProvisionable(user)) throw notFound();
    requireVersion(request.headers, user);
    if (user.deactivated_at === null) await authorizeActivation(request, user);
    // The user comes last, so that a repeated request continues.
    const groups = await listGroupsOfUser(request.scope, userId);
    for (const { id } of groups) await deleteMembership(request.scope, id, userId);
    await deprovisionUser(request.scope, user);
  });
}
