import type { UserPrincipal } from "../../auth/principal.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { findUser } from "../../tenancy/user-store.ts";

/** Returns the user whose permissions an investigation uses, or undefined if the user was deleted or deactivated. */
export async function findPrincipal(scope: TenantScope, userId: string): Promise<UserPrincipal | undefined> {
  const user = await findUser(scope, userId);
  if (!user || user.deactivated_at) return undefined;
  const { roles, email, name } = user;
  return { kind: "user", tenantId: scope.tenantId, userId, roles, email, name, provider: "jwt", expiresAt: null };
}
