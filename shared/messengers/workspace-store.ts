import * as v from "valibot";
import type { Messenger } from "../api/messengers/event-ref.ts";
import {
  MAX_MESSENGER_WORKSPACES,
  type MessengerWorkspace,
  messengerCredentials,
  type updateMessengerWorkspaceRoute,
} from "../api/messengers/workspaces.ts";
import { hashCredential } from "../auth/credentials.ts";
import type { keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, equals, exists, type Item, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { invalidFields, notFound, requireFound, ServiceError } from "../lib/errors.ts";

/** Attributes that the stored workspaces of all messengers have. */
export const workspaceFields = {
  id: v.string(),
  name: v.string(),
  persona_id: v.nullable(v.string()),
  enabled: v.boolean(),
  /** Error code with which the messenger refused the credentials; null while they work. */
  error: v.nullable(v.string()),
  created_at: v.string(),
};

export type StoredWorkspace = v.InferOutput<v.ObjectSchema<typeof workspaceFields, undefined>>;

/**
 * Workspaces of a messenger. Its methods get workspaces of their own messenger, which the type cannot tell where messengers
 * are in a table.
 */
export interface WorkspaceItems<Workspace extends StoredWorkspace> {
  readonly keyOf: typeof keys.slackWorkspace | typeof keys.teamsWorkspace;
  readonly discriminator: "slack-workspace" | "teams-workspace";
  readonly read: (item: Item) => Workspace;
  /** Attributes of a new workspace without credentials. */
  readonly unset: Omit<Workspace, keyof StoredWorkspace>;
  /** Returns the fields of a workspace that clients receive, with the manifest of its app and without its secrets. */
  toReply(workspace: Workspace, baseUrl: string): MessengerWorkspace;
}

export type WorkspacesByMessenger = Readonly<Record<Messenger, WorkspaceItems<StoredWorkspace>>>;

/** Items by which requests of a messenger, which name no tenant, find the tenant of a workspace. */
export interface WorkspaceLookups {
  readonly keyOf: typeof keys.slackLookup | typeof keys.teamsLookup;
  readonly discriminator: "slack-lookup" | "teams-lookup";
}

/** Credentials that an administrator has entered. */
export type EnteredCredentials = Pick<
  v.InferOutput<(typeof updateMessengerWorkspaceRoute)["body"]>,
  "bot_token" | "signing_secret" | "app"
>;

/**
 * Verifies and encrypts the credentials of a workspace of one messenger.
 * @param workspace workspace as it is stored, or null for a new one
 * @returns the attributes of the workspace to store
 */
export type SealCredentials = {
  seal(
    scope: TenantScope,
    id: string,
    entered: EnteredCredentials,
    workspace: StoredWorkspace | null,
  ): Promise<Partial<StoredWorkspace>>;
}["seal"];

/** @throws ServiceError `validation_failed` for credentials of another messenger */
export function assertOwnCredentials(messenger: Messenger, entered: EnteredCredentials): void {
  const own = messengerCredentials[messenger];
  const foreign = Object.entries(entered).filter(([name, value]) => value !== undefined && !(name in own));
  if (foreign.length === 0) return;
  const error = { location: "body", code: "unknown_field", message: `is not a credential of ${messenger}` } as const;
  throw invalidFields(foreign.map(([path]) => ({ path, ...error })));
}

export const newWorkspaceWrites = <Workspace extends StoredWorkspace>(
  items: WorkspaceItems<Workspace>,
  lookups: WorkspaceLookups,
  scope: TenantScope,
  workspace: Workspace,
): Write[] => [
  {
    put: {
      ...items.keyOf(scope.tenantId, workspace.id),
      discriminator: items.discriminator,
      timestamp: now(),
      ...workspace,
    },
    condition: absent(),
  },
  {
    put: {
      ...lookups.keyOf(hashCredential(workspace.id)),
      discriminator: lookups.discriminator,
      tenant_id: scope.tenantId,
    },
  },
];

/** @throws ServiceError `conflict` if the tenant already has the maximum number of workspaces */
export async function assertRoomForWorkspace(
  { keyOf }: WorkspaceItems<StoredWorkspace>,
  scope: TenantScope,
): Promise<void> {
  const { pk } = keyOf(scope.tenantId, "");
  const stored = await tenantTable(scope).query({ pk, limit: MAX_MESSENGER_WORKSPACES });
  if (stored.length < MAX_MESSENGER_WORKSPACES) return;
  throw new ServiceError("conflict", `There are ${MAX_MESSENGER_WORKSPACES} workspaces already; remove one first.`);
}

export async function findWorkspace<Workspace extends StoredWorkspace>(
  { keyOf, read }: WorkspaceItems<Workspace>,
  scope: TenantScope,
  id: string,
): Promise<Workspace | undefined> {
  const item = await tenantTable(scope).get(keyOf(scope.tenantId, id), { consistent: true });
  return item && read(item);
}

/** @throws ServiceError `not_found` */
export async function getWorkspace<Workspace extends StoredWorkspace>(
  items: WorkspaceItems<Workspace>,
  scope: TenantScope,
  id: string,
): Promise<Workspace> {
  return requireFound(await findWorkspace(items, scope, id));
}

/** Returns the workspace with an id, of any tenant, and that tenant; undefined if there is none. */
export async function findWorkspaceOfAnyTenant<Workspace extends StoredWorkspace>(
  items: WorkspaceItems<Workspace>,
  lookups: WorkspaceLookups,
  id: string,
) {
  const lookup = await systemTable().get(lookups.keyOf(hashCredential(id)));
  if (!lookup) return undefined;
  const scope = { tenantId: String(lookup.tenant_id) };
  const workspace = await findWorkspace(items, scope, id);
  return workspace && { ...scope, workspace };
}

/**
 * Lists the tenant's workspaces in the order of their ids.
 * @throws ServiceError `invalid_cursor`
 */
export async function listWorkspaces<Workspace extends StoredWorkspace>(
  { keyOf, discriminator, read }: WorkspaceItems<Workspace>,
  scope: TenantScope,
  request: PageRequest,
): Promise<Page<Workspace>> {
  const { pk } = keyOf(scope.tenantId, "");
  return mapPage(await listPage(scope, { list: `${discriminator}s`, pk }, request), read);
}

/** Returns the write that changes a workspace. Fails with `not_found` if it was removed. */
export const workspaceChange = <Workspace extends StoredWorkspace>(
  { keyOf }: WorkspaceItems<Workspace>,
  scope: TenantScope,
  id: string,
  set: NoInfer<Partial<Workspace>>,
): Write => ({
  update: keyOf(scope.tenantId, id),
  set: { ...set, timestamp: now() },
  condition: exists(notFound),
});

export const workspaceDeletion = (
  items: WorkspaceItems<StoredWorkspace>,
  lookups: WorkspaceLookups,
  scope: TenantScope,
  id: string,
): Write[] => [
  {
    delete: items.keyOf(scope.tenantId, id),
    condition: exists(notFound),
  },
  {
    delete: lookups.keyOf(hashCredential(id)),
    condition: equals({ tenant_id: scope.tenantId }),
  },
];

/** Stores the error code with which a messenger refused the credentials. Does nothing if the workspace was removed. */
export async function recordWorkspaceError(
  items: WorkspaceItems<StoredWorkspace>,
  scope: TenantScope,
  id: string,
  error: string,
): Promise<void> {
  const change = { ...workspaceChange(items, scope, id, { error }), condition: exists() };
  await tenantTable(scope).write(change).catch(ignoreConditionFailed);
}
