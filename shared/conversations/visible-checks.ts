import type { Message } from "../api/conversations/messages.ts";

/** Resolves the rights of the caller. It reads the table on its first call. */
export type Rights = () => Promise<{ readonly permissions: ReadonlySet<string> }>;

/** Returns true if a caller sees findings of guardrail checks that changed nothing: they are for administrators only. */
export const canReadFindings = async (rights: Rights): Promise<boolean> =>
  (await rights()).permissions.has("usage.read");

type Checked = Pick<Message, "checks">;

/** Returns a message with the checks that a caller may see. Rights are read only for checks that changed nothing. */
export async function withVisibleChecks<M extends Checked>(message: M, rights: Rights): Promise<M> {
  const { checks, ...rest } = message;
  if (!checks?.some(({ action }) => action === "allow") || (await canReadFindings(rights))) return message;
  const visible = checks.filter(({ action }) => action !== "allow");
  return { ...rest, ...(visible.length > 0 && { checks: visible }) } as M;
}

/** Returns a page of messages with the checks that a caller may see. */
export const withVisibleChecksOfAll = <M extends Checked>(messages: readonly M[], rights: Rights): Promise<M[]> =>
  Promise.all(messages.map((message) => withVisibleChecks(message, rights)));
