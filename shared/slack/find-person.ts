import type { UserPrincipal } from "../auth/principal.ts";
import { findPrincipal } from "../chat/investigation/find-principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { StoredSlackEvent } from "./event-store.ts";
import { findLinkedUser, LINK_TTL_SECONDS, requestLink } from "./link-store.ts";
import type { WorkspaceClient } from "./workspace-client.ts";

/** Sends a text to the person who acted, which others in the channel do not see. */
export async function tellPerson({ call }: WorkspaceClient, event: StoredSlackEvent, text: string): Promise<void> {
  const { channel, thread_ts, slack_user, is_direct } = event;
  const place = { channel, thread_ts, text, unfurl_links: false, unfurl_media: false };
  if (is_direct) await call("chat.postMessage", place);
  else await call("chat.postEphemeral", { ...place, user: slack_user });
}

/** Returns the name of an account, for the page on which it is linked. */
async function findName({ call }: WorkspaceClient, { slack_user, slack_user_name }: StoredSlackEvent) {
  if (slack_user_name !== null) return slack_user_name;
  const { user } = await call("users.info", { user: slack_user }).catch(() => ({ user: null }));
  const { real_name, name } = (user ?? {}) as Readonly<Record<string, unknown>>;
  return [real_name, name].find((each): each is string => typeof each === "string" && each !== "") ?? null;
}

/**
 * Returns the user as whom the person of an event acts. A person who is not linked gets a link, which a signed-in user opens.
 * @returns null if there is none, and the person was told
 */
export async function findPerson(
  scope: TenantScope,
  client: WorkspaceClient,
  event: StoredSlackEvent,
): Promise<UserPrincipal | null> {
  const { workspace_id, slack_user, base_url } = event;
  const userId = await findLinkedUser(scope, workspace_id, slack_user);
  const principal = userId === undefined ? undefined : await findPrincipal(scope, userId);
  if (principal) return principal;
  if (userId !== undefined) {
    await tellPerson(client, event, "Your account was deactivated. Ask an administrator of your organization.");
    return null;
  }
  const name = (await findName(client, event))?.slice(0, 80) ?? null;
  const token = await requestLink(scope, { workspace_id, slack_user_id: slack_user, slack_user_name: name });
  const url = `${base_url}/console/slack-link?workspace=${workspace_id}&token=${token}`;
  const minutes = LINK_TTL_SECONDS / 60;
  const text = `Link your Slack account first: <${url}|open this page and sign in>. The link is for you only and valid for ${minutes} minutes. Then ask again.`;
  await tellPerson(client, event, text);
  return null;
}
