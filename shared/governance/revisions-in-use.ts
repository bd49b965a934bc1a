import type { PersonaVersion } from "../api/personas/persona-versions.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { StoredContent } from "../personas/persona-store.ts";
import { findTenantModel } from "../personas/tenant-model-store.ts";
import { findToolServers } from "../tools/server-store.ts";
import { getCurrentPolicy } from "./policy-store.ts";

/** Returns the revisions of the policy, the model and the tool servers that a persona uses now, for the record of a version. */
export async function findRevisionsInUse(
  scope: TenantScope,
  { model, tool_servers }: Pick<StoredContent, "model" | "tool_servers">,
): Promise<PersonaVersion["revisions"]> {
  const [policy, ownModel, servers] = await Promise.all([
    getCurrentPolicy(scope),
    model === null ? undefined : findTenantModel(scope, model),
    tool_servers.length === 0
      ? []
      : findToolServers(
          scope,
          tool_servers.map(({ server_id }) => server_id),
        ),
  ]);
  return {
    policy: policy.version,
    model: { name: model, updated_at: ownModel?.updated_at ?? null },
    tool_servers: servers.map(({ id, version }) => ({ id, version })),
  };
}
