import { freeArguments } from "../../api/tools/free-arguments.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { findToolServers } from "../../tools/server-store.ts";
import type { StoredApproval } from "./approval-store.ts";
import { isDecidedBy } from "./approval-transitions.ts";

/**
 * Returns the JSON Schema for the arguments of a pending server tool call, from which its approver gets a form to edit
 * them. Null for other actions, and if the definition of the tool has changed since the request.
 */
export async function findDecidedInputSchema(
  approver: UserScope,
  approval: StoredApproval,
): Promise<Readonly<Record<string, unknown>> | null> {
  const pinned = approval.run?.tool;
  if (!pinned || !isDecidedBy(approver, approval)) return null;
  const [server] = await findToolServers(approver, [pinned.server_id]);
  const tool = server?.tools.find(({ name, hash }) => name === pinned.tool && hash === pinned.definition_hash);
  return server && tool ? freeArguments(tool.input_schema, server) : null;
}
