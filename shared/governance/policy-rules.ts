import type { ExportFormat, Policy } from "../api/governance/policy.ts";
import { ServiceError } from "../lib/errors.ts";

/** The policy of a tenant that has set none. */
export const defaultPolicy: Policy = {
  banner: null,
  classification: { levels: ["public", "internal", "confidential", "restricted"], default: "internal" },
  retention: { conversation_days: null },
  export: { allowed: true, formats: ["json", "markdown"] },
  // Nobody reads what is somebody else's just because of being an administrator.
  approvals: {
    share_link: "never",
    export: "never",
    tool_execution: "never",
    data_access: "always",
    risk_level: "medium",
  },
  memory: { enabled: true },
  version: 0,
  updated_at: null,
  updated_by: null,
};

/** @throws ServiceError `forbidden` where the policy does not let anything out, or not in that format */
export function checkExport(policy: Pick<Policy, "export">, format?: ExportFormat): void {
  const { allowed, formats } = policy.export;
  if (!allowed) throw new ServiceError("forbidden", "The policy of your organisation does not allow exports.");
  if (format === undefined || formats.includes(format)) return;
  throw new ServiceError("forbidden", `The policy of your organisation does not allow exports as ${format}.`);
}
