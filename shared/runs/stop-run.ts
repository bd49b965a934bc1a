import { findMessage } from "../conversations/message-store.ts";
import type { Write } from "../dynamodb/table.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { endWaiting } from "./reap-dead-run.ts";
import { controlWrite, type StoredRun } from "./run-store.ts";

/**
 * Has a run end, unless it has ended.
 * @param commit answers the request and does the write, in one
 * @returns the answer's status: `stopping`, or as the run ended
 */
export async function stopRun(
  scope: TenantScope,
  run: StoredRun,
  commit: <Result>(result: Result, write: Write) => Promise<Result>,
) {
  const { message_id, conversation_id } = run;
  const answer = await findMessage(scope, conversation_id, message_id);
  if (answer && answer.status !== "streaming") return { message_id, status: answer.status };
  const stop = controlWrite(scope, message_id, { stop: true });
  const stopping = await commit({ message_id, status: "stopping" as const }, stop);
  // A run that waits for somebody's word has no function that could obey; from now on none begins to wait.
  await endWaiting(scope, run);
  return stopping;
}
