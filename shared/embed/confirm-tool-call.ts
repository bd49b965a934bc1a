import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import type { EmbedKeyPrincipal } from "../auth/principal.ts";
import { getApproval, type StoredApproval } from "../governance/approvals/approval-store.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import type { StoredEmbedSession } from "../visitors/embed-session-store.ts";
import { findHandover } from "../visitors/handover-store.ts";
import { toVisitorPrincipal } from "./embed-visitor.ts";
import { withVisitorTools } from "./visitor-tools.ts";

/**
 * Returns the approval that a call of a tool in a session waits for.
 * @throws ServiceError `not_found` if it belongs to another session
 */
export async function getSessionApproval(
  principal: EmbedKeyPrincipal,
  { conversation_id }: StoredEmbedSession,
  id: string,
): Promise<StoredApproval> {
  const approval = await getApproval(principal, id);
  if (approval.run?.conversation_id !== conversation_id) throw notFound();
  return approval;
}

/**
 * Requires that a call for which a visitor was asked may still be executed.
 * @throws ServiceError `forbidden` if the visitor no longer has the tool, `conflict` if a person has the session
 */
export async function requireToolOfVisitor(
  principal: EmbedKeyPrincipal,
  embedKey: EmbedKey,
  session: StoredEmbedSession,
  { run }: StoredApproval,
): Promise<void> {
  const { toolServers } = withVisitorTools(toVisitorPrincipal(principal, session), embedKey, session);
  const isAllowed = toolServers.some(
    ({ server_id, tools }) => server_id === run?.tool?.server_id && tools?.includes(run.tool.tool),
  );
  if (!isAllowed) throw new ServiceError("forbidden", "The visitor no longer has this tool.");
  if (!embedKey.handover) return;
  // No answer of the assistant continues while a person has the session.
  const handover = await findHandover(principal, session.conversation_id);
  if (handover?.status === "claimed") throw new ServiceError("conflict", "A person has the session.");
}
