import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { visitorMode } from "../api/tools/visitor-mode.ts";
import type { VisitorPrincipal } from "../auth/principal.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { invalidField } from "../lib/errors.ts";
import { boundArguments } from "../tools/bound-arguments.ts";
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
 * Requires that the tools of an embed key exist, that calls need no person of the organization, and that the visitors who get them
 * have the values to which arguments are bound.
 * @throws ServiceError `validation_failed`
 */
export async function requireVisitorTools(scope: TenantScope, tools: EmbedKey["tools"] = []): Promise<void> {
  if (tools.length === 0) return;
  const servers = await findToolServers(
    scope,
    tools.map(({ server_id }) => server_id),
  );
  for (const [index, { server_id, tools: names, visitors }] of tools.entries()) {
    const server = servers.find(({ id }) => id === server_id);
    if (!server) throw invalidField(`tools.${index}.server_id`, "not_found", "must be a tool server");
    const refuse = (code: string, message: string, refused: readonly string[]) => {
      if (refused.length > 0) throw invalidField(`tools.${index}.tools`, code, `${message}: ${refused.join(", ")}`);
    };
    const toolOf = (tool: string) => server.tools.find(({ name }) => name === tool);
    refuse(
      "not_found",
      "must be tools of the server. These are not",
      names.filter((name) => !toolOf(name)),
    );
    refuse(
      "needs_user",
      "must be tools that visitors can agree to: without the mode approve, of a server without sign-in of users. These are not",
      names.filter((name) => visitorMode(server, name) === null),
    );
    refuse(
      "needs_caller",
      visitors === "anyone"
        ? "must be tools without arguments that are bound to the caller, because visitors without a token have no name. These have"
        : "must be tools without arguments that are bound to a user of the organization. These have",
      names.filter((name) =>
        boundArguments(server, toolOf(name) ?? { input_schema: {} }).some(
          ([, value]) => visitors === "anyone" || value.startsWith("user."),
        ),
      ),
    );
  }
}
