import { findMessage } from "../conversations/message-store.ts";
import type { Write } from "../dynamodb/table.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { cancelPausedRun } from "./reap-dead-run.ts";
import { runControlWrite } from "./run-control-store.ts";
import type { StoredRun } from "./run-store.ts";

/**
 * Asks a run to stop. A paused run ends immediately.
 * @param commit executes the write and stores the response, in one transaction
 * @returns the status `stopping`, or the status of the answer if the run has already ended
 */
export async function stopRun(
  scope: TenantScope,
  run: StoredRun,
  commit: <Result>(result: Result, write: Write) => Promise<Result>,
) {
  const { message_id, conversation_id } = run;
  const answer = await findMessage(scope, conversation_id, message_id);
  if (answer && answer.status !== "streaming") return { message_id, status: answer.status };
  const stop = runControlWrite(scope, message_id, { stop: true });
  const stopping = await commit({ message_id, status: "stopping" as const }, stop);
  // No function executes a paused run, so it is ended here. A run that has not paused yet cannot pause any more,
  // because the stop request is stored.
  await cancelPausedRun(scope, run);
  return stopping;
}
