import { createExport } from "#shared/api/exports.ts";
import { holdFor } from "#shared/data/approval-store.ts";
import { archive, newExport, newExportWrite } from "#shared/data/export-store.ts";
import { policyOf } from "#shared/data/policy-store.ts";
import { checkExport } from "#shared/domain/policy-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { begunReply, heldReply } from "#shared/http/reply.ts";

export const handler = endpoint(createExport, async ({ principal, commit }) => {
  const policy = await policyOf(principal);
  checkExport(policy);
  const held = holdFor(principal, policy, "createExport", {});
  if (held) return commit(heldReply(held.approval), ...held.writes);
  const fresh = newExport(principal.userId, archive);
  return commit(begunReply(fresh), newExportWrite(principal, fresh));
});
