import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { findToolServers } from "../../tools/server-store.ts";
import type { StoredApproval } from "./approval-store.ts";
import { isDecidedBy } from "./approval-transitions.ts";

/**
 * Returns the JSON Schema of the arguments of a pending call of a server's tool, so that its approver can change them in a form;
 * null for other actions, and if the definition has changed since.
 */
export async function findDecidedInputSchema(
  approver: UserScope,
  approval: StoredApproval,
): Promise<Readonly<Record<string, unknown>> | null> {
  const pinned = approval.run?.tool;
  if (!pinned || !isDecidedBy(approver, approval)) return null;
  const [server] = await findToolServers(approver, [pinned.server_id]);
  const tool = server?.tools.find(({ name, hash }) => name === pinned.tool && hash === pinned.definition_hash);
  return tool?.input_schema ?? null;
}
