import { answerMessage } from "./answer-message.ts";
import { applyAction, postApproval } from "./decide-approval.ts";
import { findSlackEvent } from "./event-store.ts";
import { postAlert } from "./post-alert.ts";
import { finishAnswer } from "./post-answer.ts";
import type { SlackJob } from "./schedule.ts";
import { openWorkspaceClient } from "./workspace-client.ts";

/** Does one step of the work on a message or button press of Slack. Each step is idempotent. */
export async function runSlackJob({ tenantId, slack, step, approvalId }: SlackJob): Promise<void> {
  const scope = { tenantId };
  const event = await findSlackEvent(scope, slack);
  if (!event || event.state === "done") return;
  if (step === "finish") {
    if (event.kind === "message") await finishAnswer(scope, event);
    return;
  }
  const client = await openWorkspaceClient(scope, event.workspace_id);
  if (!client) return;
  if (step === "approval") return postApproval(scope, client, slack, approvalId ?? "");
  if (event.kind === "alert") return postAlert(scope, client, event);
  return event.kind === "message" ? answerMessage(scope, client, event) : applyAction(scope, client, event);
}
