import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { LIVENESS_TIMEOUT_MS } from "./reap-dead-run.ts";
import { readRunControl, writeRunControl } from "./run-control-store.ts";
import { RunEnded } from "./run-controller.ts";
import type { RunLog } from "./run-log.ts";

/**
 * Interval at which a run reads its control item, and so the maximum time until it notices a stop request. A read costs
 * half a read unit.
 */
const POLL_INTERVAL_MS = 800;

/** Interval between heartbeats. Short enough that the loss of one does not make the run appear dead. */
const LIVENESS_WRITE_INTERVAL_MS = LIVENESS_TIMEOUT_MS / 3;

/**
 * Reads the control item of a run at intervals until `stop` is called. Aborts the controller on a stop request, lets
 * the log be written more often while it is followed, and writes heartbeats while nothing else is logged.
 */
export function startRunHeartbeat(
  scope: TenantScope,
  messageId: string,
  runLog: RunLog,
  controller: AbortController,
): { stop(): void } {
  let lastHeartbeat = now();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const poll = async () => {
    const { stop, followed_until = 0 } = await readRunControl(scope, messageId);
    if (stop) controller.abort(new RunEnded("stopped"));
    runLog.hasFollowers = followed_until > now();
    if (now() - Math.max(lastHeartbeat, runLog.lastWriteAt) < LIVENESS_WRITE_INTERVAL_MS) return;
    lastHeartbeat = now();
    await writeRunControl(scope, messageId, { alive_at: lastHeartbeat });
  };
  const scheduleNext = () => {
    timer = setTimeout(async () => {
      await poll().catch((error) => log.warn("run heartbeat failed", { message_id: messageId, error }));
      if (!isStopped) scheduleNext();
    }, POLL_INTERVAL_MS);
  };
  scheduleNext();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
