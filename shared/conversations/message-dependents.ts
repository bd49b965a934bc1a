import { keys } from "../dynamodb/keys.ts";
import type { Key } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";

/** Beginning of the sort keys of test items and of their results. */
const TESTS = "test-";

/** Returns what is deleted with a message: its revisions, its run if it is an answer, and test items that contain it. */
export async function listDependents(scope: TenantScope, conversationId: string, messageId: string): Promise<Key[]> {
  const { pk, sk: revisionPrefix } = keys.revision(scope.tenantId, conversationId, messageId, "");
  const [revisions, run, tests] = await Promise.all([
    tenantTable(scope).query({ pk, prefix: revisionPrefix }),
    tenantTable(scope).query({ pk: keys.run(scope.tenantId, messageId).pk }),
    tenantTable(scope).query({ pk, prefix: TESTS, attributes: ["message_ids"] }),
  ]);
  const containing = tests.filter(({ message_ids }) => (message_ids as readonly string[]).includes(messageId));
  return [...revisions, ...run, ...containing];
}
