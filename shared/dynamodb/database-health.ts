import { log } from "../lib/log.ts";
import type { ItemAccess } from "./access.ts";
import { systemTable } from "./tenant-scope.ts";

/**
 * Access to the key that the health check reads. No such item exists: a successful empty read shows that the table is
 * reachable.
 */
export const healthAccess: ItemAccess = { actions: ["GetItem"], indexes: [], partition: "~health" };

export async function isDatabaseReachable(): Promise<boolean> {
  try {
    await systemTable().get({ pk: "~health", sk: "health" });
    return true;
  } catch (error) {
    log.error("database unreachable", { error });
    return false;
  }
}
