import { log } from "../lib/log.ts";
import { systemTable } from "./tenant-scope.ts";

/** Checks whether the table can be read. */
export async function isDatabaseReachable(): Promise<boolean> {
  try {
    await systemTable().get({ pk: "~health", sk: "health" });
    return true;
  } catch (error) {
    log.error("database unreachable", { error });
    return false;
  }
}
