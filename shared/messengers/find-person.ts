import type { UserPrincipal } from "../auth/principal.ts";
import { findPrincipal } from "../chat/investigation/find-principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { MessengerClient } from "./client.ts";
import type { StoredEvent } from "./event-store.ts";
import { findLinkedUser, LINK_TTL_SECONDS, requestLink } from "./link-store.ts";

/**
 * Returns the user that is linked with the account that caused an event. Without a link, sends the account a URL at
 * which a signed-in user can link it.
 * @returns null if there is no user or the user is deactivated; the account was told so
 */
export async function findPerson(
  scope: TenantScope,
  client: MessengerClient,
  event: StoredEvent,
): Promise<UserPrincipal | null> {
  const userId = await findLinkedUser(scope, event);
  const principal = userId === undefined ? undefined : await findPrincipal(scope, userId);
  if (principal) return principal;
  if (userId !== undefined) {
    await client.tell(event, "Your account was deactivated. Ask an administrator of your organization.");
    return null;
  }
  const { messenger, workspace_id, account_id, base_url } = event;
  const account_name = (await client.findName(event))?.slice(0, 80) ?? null;
  const token = await requestLink(scope, { workspace_id, account_id, account_name });
  const url = `${base_url}/console/${messenger}-link?workspace=${workspace_id}&token=${token}`;
  const link = client.markup.link(url, "open this page and sign in");
  const minutes = LINK_TTL_SECONDS / 60;
  await client.tell(
    event,
    `Link your ${client.name} account first: ${link}. The link is for you only and valid for ${minutes} minutes. Then ask again.`,
  );
  return null;
}
