import { log } from "../lib/log.ts";
import type { ItemAccess } from "./access.ts";
import { systemTable } from "./tenant-scope.ts";

/** Access to the item that the health check looks for, which does not exist. */
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
