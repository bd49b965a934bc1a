import type { Capability } from "../api/capabilities.ts";
import { ACT_AS_SCOPE } from "../api/scopes.ts";
import { type Identity, identityRule, type UserPrincipal } from "../auth/principal.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";
import { isKeyManaged, type StoredUser } from "./stored-user.ts";
import { admitUser } from "./user-store.ts";

/** Capability that is required to create a key with the scope. */
export const ACT_AS_CAPABILITY = "users.act_as" satisfies Capability;

/**
 * Records that an API key, or an access token of it, acts for a person. Creates the person if necessary.
 * @throws ServiceError `forbidden` if the person is deactivated or not managed by keys
 */
export async function admitPerson(caller: UserPrincipal, { userId, externalId }: Identity): Promise<StoredUser> {
  if (!caller.apiKey) throw new ServiceError("forbidden");
  return admitUser(caller, userId, { keyId: caller.apiKey.id, externalId });
}

/**
 * Authorizes an API key to act on behalf of a user, as `admitPerson` does.
 * @param identity person whom the request names; undefined if it names none
 * @returns the user as the caller, with the limits of the key
 * @throws ServiceError `forbidden` if the key lacks the scope for it or `admitPerson` refuses the user, `validation_failed` for
 * a malformed user id
 */
export async function authorizeActAs(caller: UserPrincipal, identity: Identity | undefined): Promise<UserPrincipal> {
  if (!caller.apiKey?.scopes.includes(ACT_AS_SCOPE)) {
    throw new ServiceError("forbidden", `Only API keys with the scope ${ACT_AS_SCOPE} can act on behalf of users.`);
  }
  if (!identity) {
    throw invalidField("X-On-Behalf-Of", "invalid_format", `must be, percent-encoded, ${identityRule}`, "header");
  }
  const { roles } = await admitPerson(caller, identity);
  return { ...caller, ...identity, roles };
}

/**
 * Requires that a user can be given access to a conversation. Only a key can give it to a person for whom keys act: the holder
 * of a key could otherwise read what a colleague shares with the person, without access to it.
 * @throws ServiceError `forbidden`
 */
export function requireGrantee({ apiKey }: UserPrincipal, grantee: StoredUser): void {
  if (apiKey || !isKeyManaged(grantee)) return;
  throw new ServiceError("forbidden", "API keys act for this person, so that only they can share with the person.");
}
