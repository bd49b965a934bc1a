import { exportConversation } from "#shared/api/exports.ts";
import { transcriptOf } from "#shared/chat/export-conversation.ts";
import { mediaTypes } from "#shared/chat/transcript.ts";
import { timestamp } from "#shared/clock.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import { holdFor } from "#shared/data/approval-store.ts";
import { newExport, newExportWrite } from "#shared/data/export-store.ts";
import { policyOf } from "#shared/data/policy-store.ts";
import { checkExport } from "#shared/domain/policy-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { begunReply, heldReply, textReply } from "#shared/http/reply.ts";

export const handler = endpoint(exportConversation, async ({ principal, params, body, commit }) => {
  const conversation = await conversationFor(principal, params.id, "READ");
  const policy = await policyOf(principal);
  const { format } = body;
  checkExport(policy, format);
  const source = { conversation_id: params.id, format };
  const held = holdFor(principal, policy, "exportConversation", source);
  if (held) return commit(heldReply(held.approval), ...held.writes);
  const text = await transcriptOf(principal, conversation, format, timestamp());
  if (text !== null) return textReply(200, mediaTypes[format], text);
  const fresh = newExport(principal.userId, { kind: "conversation", ...source });
  return commit(begunReply(fresh), newExportWrite(principal, fresh));
});
