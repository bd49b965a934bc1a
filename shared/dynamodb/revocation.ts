import type { AuditRule } from "./audit-rule.ts";

/** Verb for the change that revokes a key. */
export const revocation: AuditRule["verb"] = (before, after) =>
  after.is_revoked && !before?.is_revoked ? "revoked" : undefined;
