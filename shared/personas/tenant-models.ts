import {
  MAX_TENANT_MODELS,
  type ModelChanges,
  type NewModel,
  type TenantModel,
} from "../api/personas/language-models.ts";
import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import { keys } from "../dynamodb/keys.ts";
import { requireItem } from "../dynamodb/required-item.ts";
import { absent, exists, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { invalidField, notFound, ServiceError } from "../lib/errors.ts";
import {
  findModel,
  findOpenProvider,
  listModelNames,
  listOpenProviders,
  type Model,
  setTenantModel,
  toTenantModelName,
} from "../models/model-table.ts";
import {
  findTenantModel,
  listTenantModels,
  readTenantModel,
  type StoredModel,
  toModelProperties,
  toTenantModel,
} from "./tenant-model-store.ts";

/** Returns the purpose that binds an encrypted key to its model and provider, so that another provider never receives it. */
const purposeOf = ({ tenantId }: TenantScope, { name, provider }: Pick<StoredModel, "name" | "provider">) =>
  `model:${tenantId}:${name}:${provider}`;

async function sealKey(
  scope: TenantScope,
  model: Pick<StoredModel, "name" | "provider">,
  key: string | null,
): Promise<string | null> {
  return key === null ? null : encrypt((await loadAppSecrets()).current, purposeOf(scope, model), key);
}

async function openKey(scope: TenantScope, model: StoredModel): Promise<string | null> {
  const { sealed_key } = model;
  if (sealed_key === null) return null;
  const { all } = await loadAppSecrets();
  return verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(scope, model), sealed_key));
}

/**
 * Returns the name of a connected provider for a new model: the named one, or the only one.
 * @throws ServiceError `validation_failed` if the provider is not connected, or missing although there are several
 */
function requireProvider(name: string | undefined): string {
  const known = listOpenProviders().map((provider) => provider.name ?? "default");
  if (name === undefined && known.length === 1) return known[0] as string;
  if (name !== undefined && known.includes(name)) return name;
  const message =
    known.length > 0
      ? `must be one of ${known.join(", ")}`
      : "is not connected: the operator connects a provider with MODEL_PROVIDER, and adds the models of Bedrock";
  throw invalidField("provider", "unknown_provider", message);
}

/**
 * Requires that a model that passes unknown request fields to its provider has a key of the tenant: such fields can select
 * another model at a gateway, which the operator would otherwise pay for.
 * @throws ServiceError `validation_failed`
 */
function requireOwnKey({ unknown_fields, sealed_key }: Pick<StoredModel, "unknown_fields" | "sealed_key">): void {
  if (unknown_fields !== "pass" || sealed_key !== null) return;
  const message = "can be pass only for a model with a key of its own";
  throw invalidField("unknown_fields", "invalid_value", message);
}

const nameTaken = () => new ServiceError("conflict", "There is a model with this name already.");

/**
 * Returns a new model and the write that stores it.
 * @throws ServiceError `conflict` if the name exists or the tenant has the maximum number of models, `validation_failed` for
 * an unknown provider
 */
export async function newTenantModel(
  scope: TenantScope,
  { api_key, provider: named, ...fields }: NewModel,
): Promise<{ readonly model: TenantModel; readonly write: Write }> {
  const provider = requireProvider(named);
  if (listModelNames().includes(fields.name)) throw nameTaken();
  if ((await listTenantModels(scope)).length >= MAX_TENANT_MODELS) {
    throw new ServiceError("conflict", `There are ${MAX_TENANT_MODELS} models already; delete one first.`);
  }
  const at = timestamp();
  const sealed_key = await sealKey(scope, { ...fields, provider }, api_key);
  const stored: StoredModel = { ...fields, provider, sealed_key, created_at: at, updated_at: at };
  requireOwnKey(stored);
  const put = { ...keys.languageModel(scope.tenantId, fields.name), discriminator: "language-model", ...stored };
  const condition = absent(nameTaken);
  return { model: toTenantModel(stored), write: { put: { ...put, timestamp: now() }, condition } };
}

/**
 * Updates a model.
 * @throws ServiceError `not_found`; `validation_failed` for an unknown provider, or for a change of the provider without a
 * new key
 */
export async function changeTenantModel(
  scope: TenantScope,
  name: string,
  { api_key, ...changes }: ModelChanges,
): Promise<TenantModel> {
  const item = await requireItem(scope, keys.languageModel(scope.tenantId, name));
  const before = readTenantModel(item);
  const provider = changes.provider === undefined ? before.provider : requireProvider(changes.provider);
  if (provider !== before.provider && before.sealed_key !== null && api_key === undefined) {
    throw invalidField(
      "api_key",
      "required",
      "must be given with another provider, which does not get the key of the first one",
    );
  }
  const sealed_key = api_key === undefined ? before.sealed_key : await sealKey(scope, { name, provider }, api_key);
  const set = { ...changes, provider, sealed_key, updated_at: timestamp() };
  requireOwnKey({ ...before, ...set });
  await tenantTable(scope).write({
    update: keys.languageModel(scope.tenantId, name),
    set: { ...set, timestamp: now() },
    condition: exists(notFound),
  });
  return toTenantModel({ ...before, ...set });
}

/**
 * Converts a stored model to the form in which models of the deployment are held; null if its provider is no longer
 * connected.
 */
function toModel(name: string, stored: StoredModel, tenantKey: string | null): Model | null {
  const provider = findOpenProvider(stored.provider);
  const fixed = { cachePoints: false, fallback: [] };
  return provider && { name, ...toModelProperties(stored), provider: { ...provider, tenantKey }, ...fixed };
}

/** Time for which a process caches a tenant's model, including the result that it does not exist. */
const REMEMBERED_MS = 15_000;
const MAX_REMEMBERED = 5_000;

/** Cached model of a tenant. */
interface Remembered {
  readonly readAt: number;
  readonly groupIds: readonly string[];
  /** Internal name; null if the model does not exist, its provider is not connected, or its key cannot be decrypted. */
  readonly name: string | null;
}

const remembered = new Map<string, Remembered>();

async function loadTenantModel(scope: TenantScope, name: string): Promise<Remembered> {
  const fullName = toTenantModelName(scope.tenantId, name);
  const stored = await findTenantModel(scope, name);
  const tenantKey = stored ? await openKey(scope, stored) : null;
  // The deployment must not pay for a model whose own key cannot be read.
  const isUsable = stored && (stored.sealed_key === null || tenantKey !== null);
  const model = isUsable ? toModel(fullName, stored, tenantKey) : null;
  setTenantModel(fullName, model);
  return { readAt: now(), groupIds: stored?.group_ids ?? [], name: model && fullName };
}

/** Persona whose model is registered in this process, and the groups that may use the model. */
interface Resolved<Preference> {
  readonly preference: Preference;
  /** Ids of the groups that may use the model; empty if it is not reserved. */
  readonly groupIds: readonly string[];
}

/**
 * Looks up the model that a persona names. If the tenant added it, loads it into the model table of this process, with a
 * cache of 15 seconds; for models of the deployment, reads nothing.
 * @returns the persona with an internal model name that is unique in the deployment, or null if the model cannot be used
 */
export async function resolveTenantModel<Preference extends { readonly model: string | null }>(
  scope: TenantScope,
  preference: Preference,
): Promise<Resolved<Preference>> {
  const { model } = preference;
  if (model === null || listModelNames().includes(model)) return { preference, groupIds: [] };
  const key = toTenantModelName(scope.tenantId, model);
  let known = remembered.get(key);
  const isForgotten = known?.name && findModel(known.name) === null;
  if (!known || isForgotten || now() - known.readAt >= REMEMBERED_MS) {
    known = await loadTenantModel(scope, model);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(key, known);
  }
  return { preference: { ...preference, model: known.name }, groupIds: known.groupIds };
}

/** Loads models of the tenant into the model table of this process, to continue a run that another process began. */
export async function recallTenantModels(scope: TenantScope, names: readonly (string | null)[]): Promise<void> {
  const prefix = toTenantModelName(scope.tenantId, "");
  const own = new Set(names.flatMap((name) => (name?.startsWith(prefix) ? name.slice(prefix.length) : [])));
  await Promise.all(Array.from(own, (model) => resolveTenantModel(scope, { model })));
}
