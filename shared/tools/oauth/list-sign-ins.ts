import type { ToolSignIn } from "../../api/tools/sign-ins.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { listServersWithSignIn, type StoredToolServer } from "../server-store.ts";
import { findTokens, isUsable, type StoredToken, tokenOwner } from "./token-store.ts";

/** Returns the token that a user has for a server: an own one, or that of the tenant. */
export const findTokenOf = (tokens: readonly StoredToken[], server: StoredToolServer, userId: string) =>
  tokens.find(({ server_id, owner }) => server_id === server.id && owner === tokenOwner(server, userId));

/** Returns whether a user is signed in, for each server that needs a sign-in. */
export async function listSignIns(member: UserScope): Promise<ToolSignIn[]> {
  const servers = await listServersWithSignIn(member);
  const tokens = await findTokens(member, servers);
  return servers.map((server) => {
    const token = findTokenOf(tokens, server, member.userId);
    return {
      server_id: server.id,
      server_name: server.name,
      type: server.auth.type as ToolSignIn["type"],
      signed_in: isUsable(token),
      expires_at: token && !token.can_refresh ? token.expires_at : null,
    };
  });
}
