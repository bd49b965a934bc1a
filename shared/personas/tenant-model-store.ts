import * as v from "valibot";
import { MAX_TENANT_MODELS, TenantModel } from "../api/personas/language-models.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { deleteExistingItem } from "../dynamodb/required-item.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { invalidField } from "../lib/errors.ts";
import { listModelNames } from "../models/model-table.ts";

const StoredModel = v.object({
  ...v.omit(TenantModel, ["has_key"]).entries,
  /** Tenant's own API key at the provider, encrypted for this model; null if the model uses the deployment's key. */
  sealed_key: v.nullable(v.string()),
});
export type StoredModel = v.InferOutput<typeof StoredModel>;

export const readTenantModel = itemReader(StoredModel);

/** Returns a model as users see it: `has_key` tells whether it has a key of its own. */
export const toTenantModel = ({ sealed_key, ...model }: StoredModel): TenantModel => ({
  ...model,
  has_key: sealed_key !== null,
});

/** @throws ServiceError `not_found` */
export async function deleteTenantModel(scope: TenantScope, name: string): Promise<void> {
  await deleteExistingItem(scope, keys.languageModel(scope.tenantId, name));
}

/** Finds a model that the tenant added. The read is eventually consistent. */
export async function findTenantModel(scope: TenantScope, name: string): Promise<StoredModel | undefined> {
  const item = await tenantTable(scope).get(keys.languageModel(scope.tenantId, name));
  return item && readTenantModel(item);
}

/** Lists the models that the tenant added, in order of name. */
export async function listTenantModels(scope: TenantScope): Promise<StoredModel[]> {
  const { pk } = keys.languageModel(scope.tenantId, "");
  return (await tenantTable(scope).query({ pk, limit: MAX_TENANT_MODELS + 1 })).map(readTenantModel);
}

/** Converts a stored model to the properties that a model in the setting `MODELS` has. */
export const toModelProperties = ({
  model_id,
  inputs,
  context_tokens,
  price,
  first_token_timeout_seconds: timeoutSeconds,
  unknown_fields,
  reasoning_tags,
}: StoredModel) => ({
  id: model_id,
  firstTokenTimeoutMs: timeoutSeconds === null ? null : timeoutSeconds * 1_000,
  unknownFields: unknown_fields,
  reasoningTags: reasoning_tags,
  inputs,
  contextTokens: context_tokens,
  prices: price && [{ from: "1970-01-01", ...price }],
});

/**
 * Checks that a model of the deployment or the tenant has this name; null and undefined pass.
 * @throws ServiceError `validation_failed` that lists the models
 */
export async function requireKnownModel(scope: TenantScope, model: string | null | undefined): Promise<void> {
  const names = listModelNames();
  if (model === null || model === undefined || names.includes(model)) return;
  const own = (await listTenantModels(scope)).map(({ name }) => name);
  if (own.includes(model)) return;
  const message = `must be one of ${[...names, ...own].join(", ")}`;
  throw invalidField("model", "unknown_model", message);
}
