import type { Capability } from "../api/capabilities.ts";
import type { MemoryScope } from "../api/memory/memories.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";

/**
 * What a memory of this scope is about.
 * @param given the id the caller names, needed where the caller's identity does not say it
 * @throws ServiceError `validation_failed` where it is missing, or is not the caller's own
 */
export function scopeIdOf(
  scope: MemoryScope,
  given: string | null,
  caller: { readonly tenantId: string; readonly userId: string },
): string {
  const own = { user: caller.userId, tenant: caller.tenantId, conversation: null, persona: null }[scope];
  if (own !== null && (given === null || given === own)) return own;
  if (own === null && given !== null) return given;
  throw invalidField({
    path: "scope_id",
    location: "body",
    code: given === null ? "required" : "invalid_value",
    message: given === null ? "is required for this scope" : "must be your own",
  });
}

/**
 * What everybody hears is for administrators to decide.
 * @throws ServiceError `forbidden`
 */
export function requireMemoryRight(scope: MemoryScope, permissions: ReadonlySet<Capability>): void {
  if (scope !== "tenant" || permissions.has("rbac.manage")) return;
  throw new ServiceError("forbidden", "Memories of the tenant need the capability rbac.manage.");
}
