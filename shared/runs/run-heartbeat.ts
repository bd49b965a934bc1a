import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { RunEnded } from "./end-reason.ts";
import { lifeSpan } from "./reap-dead-run.ts";
import type { RunLog } from "./run-log.ts";
import { readControl, writeControl } from "./run-store.ts";

/** How often a run looks what others want of it, in milliseconds. */
const lookEvery = 800;

/** How often a run gives a sign of life: often enough that one may get lost. */
const signEvery = lifeSpan / 3;

/** Looks after a run while it lasts: gives signs of life where its log gives none, obeys a stop, writes the log faster for followers. */
export function tendRun(
  scope: TenantScope,
  messageId: string,
  runLog: RunLog,
  ending: AbortController,
): { end(): void } {
  let lastSign = now();
  let looking = false;
  const look = async () => {
    const { stop, followed_until = 0 } = await readControl(scope, messageId);
    if (stop) ending.abort(new RunEnded("stopped"));
    runLog.followed = followed_until > now();
    if (now() - Math.max(lastSign, runLog.writtenAt) < signEvery) return;
    lastSign = now();
    await writeControl(scope, messageId, { alive_at: lastSign });
  };
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    try {
      await look();
    } catch (error) {
      log.warn("run could not be tended", { message_id: messageId, error });
    } finally {
      looking = false;
    }
  }, lookEvery);
  return { end: () => clearInterval(timer) };
}
