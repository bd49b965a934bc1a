import type { Capability } from "../api/capabilities.ts";
import type { Memory, MemoryScope } from "../api/memory/memories.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";

/**
 * Returns the id of the resource to which a memory belongs.
 * @param requestedId id in the request; required for the scopes `conversation` and `persona`
 * @throws ServiceError `validation_failed` if the id is missing or belongs to another user or tenant
 */
export function resolveScopeId(
  scope: MemoryScope,
  requestedId: string | null,
  caller: { readonly tenantId: string; readonly userId: string },
): string {
  const ownId = { user: caller.userId, tenant: caller.tenantId, conversation: null, persona: null }[scope];
  if (ownId !== null && (requestedId === null || requestedId === ownId)) return ownId;
  if (ownId === null && requestedId !== null) return requestedId;
  throw invalidField(
    "scope_id",
    requestedId === null ? "required" : "invalid_value",
    requestedId === null ? "is required for this scope" : "must be the id of the caller's own user or tenant",
  );
}

/**
 * Authorizes a user to write memories of a scope. Memories of the tenant need an administrator, because they reach the
 * prompts of all users.
 * @throws ServiceError `forbidden`
 */
export function authorizeMemoryScope(scope: MemoryScope, permissions: ReadonlySet<Capability>): void {
  if (scope !== "tenant" || permissions.has("rbac.manage")) return;
  throw new ServiceError("forbidden", "Memories of the tenant require the capability rbac.manage.");
}

/**
 * Returns true if the user may not have written or confirmed the text of a memory: another user wrote it for the
 * tenant, or the model proposed it after reading untrusted text.
 */
export function isByOthers(
  { trusted, author_id }: Pick<Memory, "trusted"> & { readonly author_id: string },
  { userId }: { readonly userId: string },
): boolean {
  return !trusted || author_id !== userId;
}
