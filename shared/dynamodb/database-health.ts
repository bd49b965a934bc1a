import { log } from "../lib/log.ts";
import { systemTable } from "./tenant-scope.ts";

/** Checks the table by a key that no item has: a successful empty read shows that the table is reachable. */
export async function isDatabaseReachable(): Promise<boolean> {
  try {
    await systemTable().get({ pk: "~health", sk: "health" });
    return true;
  } catch (error) {
    log.error("database unreachable", { error });
    return false;
  }
}
