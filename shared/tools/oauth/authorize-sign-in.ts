import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { ServiceError } from "../../lib/errors.ts";
import { getToolServer, type StoredToolServer } from "../server-store.ts";

/**
 * Returns a server if the user may sign in to it and out of it.
 * @throws ServiceError `not_found`, `conflict` for a server without sign-in, `forbidden` if only an administrator may
 * sign in
 */
export async function authorizeSignIn(
  member: UserScope,
  { permissions }: { readonly permissions: ReadonlySet<string> },
  id: string,
): Promise<StoredToolServer> {
  const server = await getToolServer(member, id);
  if (!server.oauth) throw new ServiceError("conflict", "The server needs no sign-in.");
  if (server.auth.type === "oauth_tenant" && !permissions.has("tools.manage")) {
    throw new ServiceError("forbidden", "An administrator signs in to this server for all users.");
  }
  return server;
}
