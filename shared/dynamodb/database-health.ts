import { log } from "../lib/log.ts";
import { systemTable } from "./tenant-scope.ts";

/** Whether the table answers. */
export async function databaseIsReachable(): Promise<boolean> {
  try {
    await systemTable().get({ pk: "~health", sk: "health" });
    return true;
  } catch (error) {
    log.error("database unreachable", { error });
    return false;
  }
}
