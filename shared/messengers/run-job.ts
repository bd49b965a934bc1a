import * as v from "valibot";
import { MessengerEventRef } from "../api/messengers/event-ref.ts";
import { answerMessage } from "./answer-message.ts";
import type { MessengerClients } from "./client.ts";
import { applyAction, postApproval } from "./decide-approval.ts";
import { completeEvent, findEvent } from "./event-store.ts";
import { postAlert } from "./post-alert.ts";
import { finishAnswer } from "./post-answer.ts";
import type { MessengerJob } from "./schedule.ts";

/** Executes one step of processing an event of a messenger. Idempotent. */
export async function runMessengerJob(
  { tenantId, messengerEvent, step, approvalId }: MessengerJob,
  clients: MessengerClients,
): Promise<void> {
  const scope = { tenantId };
  const event = await findEvent(scope, v.parse(MessengerEventRef, messengerEvent));
  if (!event || event.state === "done") return;
  if (step === "finish" && event.kind !== "message") return;
  const client = await clients[event.messenger](scope, event.workspace_id);
  if (!client) return;
  if (step === "approval") return postApproval(scope, client, event, approvalId ?? "");
  if (event.kind === "alert") return postAlert(scope, client, event);
  if (event.kind === "notice") {
    await client.tell(event, event.text);
    await completeEvent(scope, event);
    return;
  }
  if (event.kind === "action") return applyAction(scope, client, event);
  await (step === "finish" ? finishAnswer : answerMessage)(scope, client, event);
}
