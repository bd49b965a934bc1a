import { defaultGuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { Policy, TranscriptFormat } from "../api/governance/policy.ts";
import { ServiceError } from "../lib/errors.ts";

/** Policy that applies until a tenant sets one. */
export const defaultPolicy: Policy = {
  banner: null,
  classification: { levels: ["public", "internal", "confidential", "restricted"], default: "internal" },
  retention: { conversation_days: null },
  export: { allowed: true, formats: ["json", "markdown"] },
  // Administrators have no access to other users' conversations by default. `approvals/require-approval.ts` reads these rules.
  approvals: {
    share_link: "never",
    export: "never",
    tool_execution: "never",
    data_access: "always",
    risk_level: "medium",
  },
  memory: { enabled: true },
  follow_ups: { enabled: false },
  models: { choices: null },
  sharing: { keep_links_of_deactivated_users: false },
  guardrails: defaultGuardrailPolicy,
  version: 0,
  updated_at: null,
  updated_by: null,
};

/**
 * Requires that the policy allows exports, and `format` if given.
 * @throws ServiceError `forbidden`
 */
export function assertExportAllowed(policy: Pick<Policy, "export">, format?: TranscriptFormat): void {
  const { allowed, formats } = policy.export;
  if (!allowed) throw new ServiceError("forbidden", "The policy of your organization does not allow exports.");
  if (format === undefined || formats.includes(format)) return;
  throw new ServiceError(
    "forbidden",
    `The policy of your organization does not allow exports in the format ${format}.`,
  );
}
