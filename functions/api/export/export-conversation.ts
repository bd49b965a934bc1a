import { exportConversation } from "#shared/api/exports.ts";
import { transcriptOf } from "#shared/chat/export-conversation.ts";
import { mediaTypes } from "#shared/chat/transcript.ts";
import { timestamp } from "#shared/clock.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import { holdFor } from "#shared/data/approval-store.ts";
import { newExport, newExportWrite, recordDelivery } from "#shared/data/export-store.ts";
import { policyOf } from "#shared/data/policy-store.ts";
import { checkExport } from "#shared/domain/policy-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { begunReply, heldReply, textReply } from "#shared/http/reply.ts";

export const handler = endpoint(exportConversation, async ({ principal, params, body, commit }) => {
  const conversation = await conversationFor(principal, params.id, "READ");
  const policy = await policyOf(principal);
  const { format } = body;
  checkExport(policy, format);
  const held = holdFor(principal, policy, "exportConversation", { conversation_id: params.id, format });
  if (held) return commit(heldReply(held.approval), ...held.writes);
  const source = { kind: "conversation", conversation_id: params.id, format } as const;
  const text = await transcriptOf(principal, conversation, format, timestamp());
  if (text === null) {
    const fresh = newExport(principal.userId, source);
    return commit(begunReply(fresh), newExportWrite(principal, fresh));
  }
  await recordDelivery(principal, principal.userId, source);
  return textReply(200, mediaTypes[format], text);
});
