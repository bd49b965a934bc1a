import { ACT_AS_SCOPE } from "../api/scopes.ts";
import { isPersonId, type UserPrincipal } from "../auth/principal.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";
import { admitUser } from "./user-store.ts";

/**
 * Authorizes an API key to act on behalf of a user. Creates the user if necessary.
 * @returns the user as the caller, with the limits of the key
 * @throws ServiceError `forbidden` if the key lacks the scope for it or the user is deactivated, `validation_failed`
 * for a malformed user id
 */
export async function authorizeActAs(caller: UserPrincipal, userId: string): Promise<UserPrincipal> {
  if (!caller.apiKey?.scopes.includes(ACT_AS_SCOPE)) {
    throw new ServiceError("forbidden", `Only API keys with the scope ${ACT_AS_SCOPE} can act on behalf of users.`);
  }
  if (!isPersonId(userId)) {
    throw invalidField(
      "X-On-Behalf-Of",
      "invalid_format",
      "must be 1 to 128 characters from A-Z a-z 0-9 . _ : @ | - that do not start with swk:",
      "header",
    );
  }
  const { roles } = await admitUser(caller, userId);
  return { ...caller, userId, roles };
}
