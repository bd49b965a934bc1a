import type * as v from "valibot";
import type { createToolServerRoute, updateToolServerRoute } from "../api/tools/servers.ts";
import { getToolClientRoute } from "../api/tools/sign-ins.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { invalidField, invalidFields } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { requireAllowedAddress } from "../lib/outgoing/find-server-refusal.ts";
import { checkServer } from "./check-server.ts";
import { compareTools, toListedTools } from "./definitions.ts";
import { hintsOf, readOpenapi } from "./http/openapi-tools.ts";
import { discoverAuthorization } from "./oauth/discover.ts";
import { SIGN_IN_PATH } from "./oauth/sign-in-store.ts";
import { sealServerSecret } from "./server-secret.ts";
import { type StoredToolServer, withTools } from "./server-store.ts";
import { toToolServerFailure } from "./tool-server-error.ts";

type NewFields = v.InferOutput<(typeof createToolServerRoute)["body"]>;
type Changes = v.InferOutput<(typeof updateToolServerRoute)["body"]>;
type ActionFields = Partial<Pick<NewFields, "openapi" | "actions">>;

/** User who changes a server, and the base URL of this service, from which the redirect URI of a sign-in is built. */
interface ServerEditor extends UserScope {
  readonly baseUrl: string;
}

/**
 * Converts the authentication of a request body to the form in which it is stored: secrets are encrypted, and for
 * sign-in the authorization server is discovered.
 * @throws ServiceError `tool_server_failed` if no usable authorization server is found
 */
async function toAuth(
  server: Pick<StoredToolServer, "id" | "url">,
  auth: NewFields["auth"],
  baseUrl: string,
): Promise<Pick<StoredToolServer, "auth" | "sealed_secret" | "oauth">> {
  if (auth.type === "none") return { auth: { type: "none", header: null }, sealed_secret: null, oauth: null };
  if (auth.type === "header") {
    const sealed_secret = await sealServerSecret(server, auth.secret);
    return { auth: { type: "header", header: auth.header }, sealed_secret, oauth: null };
  }
  const settings = {
    clientId: auth.client_id,
    clientSecret: auth.client_secret,
    scope: auth.scope,
    redirectUri: baseUrl + SIGN_IN_PATH,
    documentUrl: baseUrl + getToolClientRoute.path,
  };
  try {
    const { authorization, clientSecret } = await discoverAuthorization(server.url, settings);
    const { issuer, client_id, scope } = authorization;
    return {
      auth: { type: auth.type, header: null, issuer, client_id, scope },
      sealed_secret: clientSecret === null ? null : await sealServerSecret(server, clientSecret),
      oauth: authorization,
    };
  } catch (error) {
    throw toToolServerFailure(error);
  }
}

/**
 * Returns issuer and audience of the contexts that are sent to a server. The issuer names the tenant, because a server that
 * compared only the address of the deployment would also accept callers of other tenants.
 */
const toCallerContext = (
  { tenantId, baseUrl }: ServerEditor,
  isSent: boolean,
  audience: string,
): StoredToolServer["caller_context"] =>
  isSent ? { issuer: `${baseUrl}/tenants/${encodeURIComponent(tenantId)}`, audience } : null;

/**
 * Returns true for a server with sign-in that was never checked. Its tools can be listed only after a user has signed
 * in.
 */
const needsSignIn = ({ oauth, checked_at }: StoredToolServer) => oauth !== null && checked_at === null;

/**
 * Requires that a server of the kind `http` has either an OpenAPI document or actions, and that an MCP server has
 * neither.
 * @throws ServiceError `validation_failed`
 */
function requireActions(kind: StoredToolServer["kind"], { openapi, actions }: ActionFields): void {
  const count = [openapi, actions].filter((each) => each !== undefined).length;
  if (count === (kind === "http" ? 1 : 0)) return;
  const message = kind === "http" ? "is required with the kind http, or actions instead" : "needs the kind http";
  throw invalidField("openapi", "invalid_actions", message);
}

/**
 * Replaces the tools of a server by those of an OpenAPI document or of actions. All are approved, because an
 * administrator wrote the definitions.
 */
function withActions(server: StoredToolServer, { openapi, actions = [] }: ActionFields): StoredToolServer {
  const definitions = openapi ? readOpenapi(openapi) : actions.map(toActionDefinition);
  const { tools, skipped } = toListedTools(definitions, server.allowed_tools, openapi ?? {});
  return approveAll({
    ...server,
    tools: compareTools([], tools),
    skipped_tools: [...skipped],
    checked_at: timestamp(),
  });
}

/**
 * Converts an action to the definition of a tool. Arguments that the path does not name are sent as query parameters
 * with GET and DELETE, and otherwise as the JSON body.
 */
function toActionDefinition({ input_schema, method, path, ...action }: NonNullable<NewFields["actions"]>[number]) {
  const names = Object.keys((input_schema.properties ?? {}) as object);
  const inPath = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name));
  const placeOf = (name: string) => (inPath.has(name) ? "path" : "query");
  const isQuery = method === "GET" || method === "DELETE";
  const places = Object.fromEntries(
    names.filter((name) => isQuery || inPath.has(name)).map((name) => [name, placeOf(name)]),
  );
  return {
    ...action,
    inputSchema: { type: "object", ...input_schema },
    annotations: hintsOf(method),
    request: { method, path, places },
  };
}

/**
 * Creates a server and lists its tools, without storing it. A disabled server, or one that needs a sign-in first, is
 * not checked. All tools are approved, because the administrator adds the server with them.
 * @throws ServiceError `validation_failed`, `tool_server_failed`
 */
export async function newToolServer(editor: ServerEditor, body: NewFields): Promise<StoredToolServer> {
  const { dry_run, auth, openapi, actions, response_pointers = {}, caller_context, ...fields } = body;
  const at = timestamp();
  const id = newId();
  requireActions(fields.kind, { openapi, actions });
  requireAllowedAddress(fields.url, "url");
  const server: StoredToolServer = {
    id,
    ...fields,
    response_pointers,
    caller_context: toCallerContext(editor, caller_context, fields.url),
    ...(await toAuth({ id, url: fields.url }, auth, editor.baseUrl)),
    protocol_version: null,
    tools: [],
    skipped_tools: [],
    tool_count: 0,
    pending_count: 0,
    checked_at: null,
    version: 1,
    created_by: editor.userId,
    created_at: at,
    updated_at: at,
  };
  if (fields.kind === "http") return withActions(server, { openapi, actions });
  if (needsSignIn(server)) return server;
  return fields.enabled || dry_run ? approveAll(await checkServer(editor, server)) : server;
}

const approveAll = (server: StoredToolServer) =>
  withTools(server, { tools: server.tools.map((tool) => ({ ...tool, status: "approved" as const })) });

/**
 * Approves tools. Approving a tool that the server no longer lists deletes its pinned definition.
 * @param approved hashes of the definitions, by tool name
 * @throws ServiceError `validation_failed` if a hash is not that of the current definition
 */
function approve(server: StoredToolServer, approved: Readonly<Record<string, string>>): StoredToolServer {
  const hashes = new Map(server.tools.map(({ name, hash }) => [name, hash]));
  const outdated = Object.entries(approved).filter(([name, hash]) => hashes.get(name) !== hash);
  if (outdated.length > 0) {
    const message = "is not the hash of the current definition; reload the server";
    throw invalidFields(
      outdated.map(([name]) => ({ path: `approved.${name}`, location: "body", code: "outdated", message })),
    );
  }
  const isApproved = ({ name }: { readonly name: string }) => Object.hasOwn(approved, name);
  const tools = server.tools
    .filter((tool) => tool.status !== "removed" || !isApproved(tool))
    .map((tool) => (isApproved(tool) ? { ...tool, status: "approved" as const } : tool));
  return withTools(server, { tools });
}

/**
 * Returns a server with changes, without storing it. If the connection or the list of allowed tools changes, the tools
 * are listed again.
 * @throws ServiceError `validation_failed`, `tool_server_failed`
 */
export async function changeToolServer(
  editor: ServerEditor,
  before: StoredToolServer,
  { auth, approved, limits, openapi, actions, caller_context, ...changes }: Changes,
): Promise<StoredToolServer> {
  const { url = before.url } = changes;
  if (changes.url !== undefined) requireAllowedAddress(url, "url");
  // Tokens are issued for an address, secrets for an origin.
  const isMoved = before.oauth ? url !== before.url : new URL(url).origin !== new URL(before.url).origin;
  if (isMoved && !auth && before.auth.type !== "none") {
    throw invalidField(
      "auth",
      "required",
      "is required with a new origin, because its secret is sent to no other site",
    );
  }
  const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as typeof changes;
  const changed: StoredToolServer = {
    ...before,
    ...(set as Partial<StoredToolServer>),
    limits: { ...before.limits, ...limits },
    caller_context: toCallerContext(editor, caller_context ?? before.caller_context !== null, url),
    ...(auth && (await toAuth({ id: before.id, url }, auth, editor.baseUrl))),
    ...(changes.url !== undefined && changes.url !== before.url && { protocol_version: null }),
  };
  if (openapi || actions) {
    requireActions(before.kind, { openapi, actions });
    return withActions(changed, { openapi, actions });
  }
  const isConnected =
    changed.enabled &&
    changed.kind === "mcp" &&
    (changes.url !== undefined || auth !== undefined || changes.allowed_tools !== undefined || !before.enabled);
  const isChecked = isConnected && !(auth && changed.oauth) && !needsSignIn(changed);
  const checked = isChecked ? await checkServer(editor, changed) : changed;
  // The first check of a server that was added without one is part of adding it.
  const initial = before.checked_at === null && isChecked ? approveAll(checked) : checked;
  return approved ? approve(initial, approved) : initial;
}
