import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { isUnattended } from "../api/tools/is-unattended.ts";
import type { VisitorPrincipal } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { invalidField } from "../lib/errors.ts";
import { findToolServers } from "../tools/server-store.ts";
import type { StoredEmbedSession } from "../visitors/embed-session-store.ts";

/**
 * Returns a visitor with the tools that the assistant can call for the session, with the name that a token still gives, and with the
 * key by which a person can be asked for.
 */
export function withVisitorTools(
  visitor: VisitorPrincipal,
  { id, tools, handover }: Pick<EmbedKey, "id" | "tools" | "handover">,
  { visitor: signed }: Pick<StoredEmbedSession, "visitor">,
): VisitorPrincipal {
  const isSigned = signed !== null && Date.parse(signed.until) > now();
  const allowed = tools.filter(({ visitors }) => visitors === "anyone" || isSigned);
  return {
    ...visitor,
    signed: isSigned ? signed : null,
    toolServers: allowed.map(({ server_id, tools: names }) => ({ server_id, tools: names, mode: "auto" })),
    handoverKeyId: handover && id,
  };
}

/**
 * Requires that the tools of an embed key exist and run without the consent of a person, because a visitor is not asked.
 * @throws ServiceError `validation_failed`
 */
export async function requireVisitorTools(scope: TenantScope, tools: EmbedKey["tools"] = []): Promise<void> {
  if (tools.length === 0) return;
  const servers = await findToolServers(
    scope,
    tools.map(({ server_id }) => server_id),
  );
  for (const [index, { server_id, tools: names }] of tools.entries()) {
    const server = servers.find(({ id }) => id === server_id);
    if (!server) throw invalidField(`tools.${index}.server_id`, "not_found", "must be a tool server");
    const refused = names.filter((name) => !isUnattended(server, name));
    if (refused.length === 0) continue;
    const message = `must be tools that run without consent: in trusted_tools, with the mode auto, of a server without sign-in of users. These do not: ${refused.join(", ")}`;
    throw invalidField(`tools.${index}.tools`, "needs_consent", message);
  }
}
