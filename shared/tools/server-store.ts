import * as v from "valibot";
import { type ServerTool, ToolMode, ToolServer, ToolServerSummary } from "../api/tools/tool-server.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { deleteExistingItem, requireItem } from "../dynamodb/required-item.ts";
import { absent, ConditionFailed, type Item, unchanged, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, notFound } from "../lib/errors.ts";
import { Authorization } from "./oauth/authorization.ts";

/** Number of the newest servers that are searched for those with sign-in. */
const MAX_SIGN_IN_SERVERS = 100;

const StoredToolServer = v.object({
  ...ToolServer.entries,
  tool_modes: v.record(v.string(), ToolMode),
  tools: trusted<ServerTool[]>(),
  skipped_tools: trusted<ToolServer["skipped_tools"]>(),
  /**
   * Encrypted value of the authentication header, or client secret. It can only be decrypted for this server and
   * origin.
   */
  sealed_secret: v.nullable(v.string()),
  oauth: v.nullable(Authorization),
});
export type StoredToolServer = v.InferOutput<typeof StoredToolServer>;

const readToolServer = itemReader(StoredToolServer);
const readSummary = itemReader(ToolServerSummary);

/** Returns the stored fields that are computed from the tools of a server. */
const derivedFields = (tools: readonly ServerTool[]) => ({
  tool_count: tools.filter(({ status }) => status === "approved").length,
  pending_count: tools.filter(({ status }) => status !== "approved").length,
});

/** Returns a server as the API shows it, without its secret and its authorization server. */
export function toToolServer({ sealed_secret: _, oauth: __, ...server }: StoredToolServer): ToolServer {
  return server;
}

/** Returns a server with changed tools and their recomputed counts. */
export function withTools(
  server: StoredToolServer,
  changes: Pick<StoredToolServer, "tools"> & Partial<StoredToolServer>,
): StoredToolServer {
  return { ...server, ...changes, ...derivedFields(changes.tools) };
}

/** Returns the attributes of a server's item. `hashes` contains status and hash of each tool for the audit trail. */
const toAttributes = (server: StoredToolServer) => ({
  ...server,
  hashes: Object.fromEntries(server.tools.map(({ name, hash, status }) => [name, `${status} ${hash}`])),
  timestamp: now(),
});

export function newToolServerWrite(scope: TenantScope, server: StoredToolServer): Write {
  return {
    put: { ...keys.toolServer(scope.tenantId, server.id), discriminator: "tool-server", ...toAttributes(server) },
    condition: absent(),
  };
}

/** @throws ServiceError `not_found` */
export async function getToolServer(scope: TenantScope, id: string): Promise<StoredToolServer> {
  return readToolServer(await requireItem(scope, keys.toolServer(scope.tenantId, id)));
}

/** Returns the servers with the given ids, which can repeat. Ids without a server are left out. */
export async function findToolServers(scope: TenantScope, ids: readonly string[]): Promise<StoredToolServer[]> {
  const items = await batchGetAll(
    tenantTable(scope),
    [...new Set(ids)].map((id) => keys.toolServer(scope.tenantId, id)),
    { consistent: true },
  );
  return items.map(readToolServer);
}

/**
 * Requires that all named servers exist.
 * @throws ServiceError `not_found`
 */
export async function requireToolServers(
  scope: TenantScope,
  named: readonly { readonly server_id: string }[] = [],
): Promise<void> {
  if (named.length === 0) return;
  const ids = new Set(named.map(({ server_id }) => server_id));
  if ((await findToolServers(scope, [...ids])).length !== ids.size) throw notFound();
}

/** Lists the tenant's servers, newest first. @throws ServiceError `invalid_cursor` */
export async function listToolServers(
  scope: TenantScope,
  request: PageRequest,
): Promise<Page<v.InferOutput<typeof ToolServerSummary>>> {
  const { pk } = keys.toolServer(scope.tenantId, "");
  // The definitions of the tools are up to 150 KB of each item.
  const attributes = Object.keys(ToolServerSummary.entries);
  return mapPage(
    await listPage(scope, { list: "tool-servers", pk, descending: true, attributes }, request),
    readSummary,
  );
}

/** Returns the servers with sign-in among the `MAX_SIGN_IN_SERVERS` newest ones. */
export async function listServersWithSignIn(scope: TenantScope): Promise<StoredToolServer[]> {
  const { pk } = keys.toolServer(scope.tenantId, "");
  const items = await tenantTable(scope).query({ pk, limit: MAX_SIGN_IN_SERVERS, descending: true, consistent: true });
  return items.map(readToolServer).filter(({ oauth }) => oauth !== null);
}

/**
 * Stores a changed server with the next version number.
 * @param before server as it was read
 * @throws ServiceError `conflict` if it was changed since
 */
export async function replaceToolServer(
  scope: TenantScope,
  before: StoredToolServer,
  after: StoredToolServer,
): Promise<StoredToolServer> {
  const { id: _, ...attributes } = toAttributes({
    ...after,
    version: before.version + 1,
    updated_at: timestamp(),
  });
  try {
    const item = await tenantTable(scope).write({
      update: keys.toolServer(scope.tenantId, before.id),
      set: attributes,
      condition: unchanged(before, "version"),
    });
    return readToolServer(item as Item);
  } catch (error) {
    if (error instanceof ConditionFailed) throw changedConcurrently("The tool server");
    throw error;
  }
}

/** @throws ServiceError `not_found` */
export async function deleteToolServer(scope: TenantScope, id: string): Promise<void> {
  await deleteExistingItem(scope, keys.toolServer(scope.tenantId, id));
}
