import type { Message } from "../api/conversations/messages.ts";

/** Returns the permissions of the caller. The first call reads the table. */
export type Rights = () => Promise<{ readonly permissions: ReadonlySet<string> }>;

/** Returns true if the caller may see guardrail findings that caused no action, which are for administrators only. */
export const canReadFindings = async (rights: Rights): Promise<boolean> =>
  (await rights()).permissions.has("usage.read");

type Checked = Pick<Message, "checks">;

/**
 * Returns a message with the guardrail checks that the caller may see. Permissions are read only if a check with
 * findings caused no action.
 */
export async function withVisibleChecks<M extends Checked>(message: M, rights: Rights): Promise<M> {
  const { checks, ...rest } = message;
  if (!checks?.some(({ action }) => action === "allow") || (await canReadFindings(rights))) return message;
  const visible = checks.filter(({ action }) => action !== "allow");
  return { ...rest, ...(visible.length > 0 && { checks: visible }) } as M;
}

export const withVisibleChecksOfAll = <M extends Checked>(messages: readonly M[], rights: Rights): Promise<M[]> =>
  Promise.all(messages.map((message) => withVisibleChecks(message, rights)));
