import { exportConversation } from "#shared/api/governance/exports.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { holdFor } from "#shared/governance/approvals/approval-store.ts";
import { transcriptOf } from "#shared/governance/exports/export-conversation.ts";
import { deliveryWrite, newExport, newExportWrite } from "#shared/governance/exports/export-store.ts";
import { mediaTypes } from "#shared/governance/exports/transcript.ts";
import { checkExport } from "#shared/governance/policy-rules.ts";
import { policyOf } from "#shared/governance/policy-store.ts";
import { approvalRequired, exportAccepted } from "#shared/http/accepted.ts";
import type { ValidatedRequest } from "#shared/http/chain.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { Reply, type ReplyBody } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";

type Exported = ValidatedRequest<typeof exportConversation>;

/** What there is to answer with: the text, or of what time a retry's text is, or what is not ready yet. */
type Answer = { readonly text: string } | { readonly exported_at: string } | ReplyBody<typeof exportConversation>;

/** The text once more: too much to be kept for a retry, it is made again of what there was at that time. */
async function again({ principal, params, body: { format } }: Exported, exportedAt: string): Promise<string> {
  const conversation = await authorizeConversation(principal, params.id, "READ");
  checkExport(await policyOf(principal), format);
  const text = await transcriptOf(principal, conversation, format, exportedAt);
  if (text === null) throw new ServiceError("conflict", "What was edited since is too long. Export it anew.");
  return text;
}

export const handler = secretEndpoint(
  exportConversation,
  async ({ principal, params, body: { format }, commit }): Promise<Reply<Answer>> => {
    const conversation = await authorizeConversation(principal, params.id, "READ");
    const policy = await policyOf(principal);
    checkExport(policy, format);
    const held = holdFor(principal, policy, "exportConversation", { conversation_id: params.id, format });
    if (held) return commit(approvalRequired(held.approval), ...held.writes);
    const source = { kind: "conversation", conversation_id: params.id, format } as const;
    const exported_at = timestamp();
    const text = await transcriptOf(principal, conversation, format, exported_at);
    if (text === null) {
      const fresh = newExport(principal.userId, source);
      return commit(exportAccepted(fresh), newExportWrite(principal, fresh));
    }
    const headers = { "content-type": mediaTypes[format] };
    await commit(new Reply(200, { exported_at }, headers), deliveryWrite(principal, principal.userId, source));
    return new Reply(200, { text }, headers);
  },
  async (answer, _, request) => {
    if ("text" in answer) return answer.text as never;
    return "exported_at" in answer ? ((await again(request, answer.exported_at)) as never) : answer;
  },
);
