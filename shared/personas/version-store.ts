import * as v from "valibot";
import { PersonaVersion, PersonaVersionSummary } from "../api/personas/persona-versions.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, type Write } from "../dynamodb/table.ts";
import { SWEEP_BATCH_SIZE } from "../dynamodb/table-layout.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { invalidField, requireFound } from "../lib/errors.ts";
import { StoredContent, type StoredPersona, toContent } from "./persona-store.ts";

const StoredVersion = v.object({ ...PersonaVersion.entries, ...StoredContent.entries });
/** Version of a persona, with its instructions. */
export type StoredVersion = v.InferOutput<typeof StoredVersion>;

const readVersion = itemReader(StoredVersion);

const toKey = ({ tenantId }: TenantScope, personaId: string, version: number) =>
  keys.personaVersion(tenantId, personaId, version);

/** Returns the write that stores a version. Nothing changes it afterwards. */
export const versionWrite = (scope: TenantScope, version: StoredVersion): Write => ({
  put: {
    ...toKey(scope, version.persona_id, version.version),
    discriminator: "persona-version",
    timestamp: now(),
    ...version,
  },
  condition: absent(),
});

/** Finds a version of a persona without checking access to it. */
export async function findVersion(
  scope: TenantScope,
  personaId: string,
  version: number,
): Promise<StoredVersion | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, personaId, version), { consistent: true });
  return item && readVersion(item);
}

/** @throws ServiceError `not_found` */
export async function getVersion(scope: TenantScope, personaId: string, version: number): Promise<StoredVersion> {
  return requireFound(await findVersion(scope, personaId, version));
}

/**
 * Returns the fields of a version with the present visibility of the persona; by default, of the version that everybody gets.
 * @throws ServiceError `validation_failed` if there is no such version
 */
export async function getVersionContent(
  scope: TenantScope,
  persona: StoredPersona,
  version: number | undefined,
  field = "base_version",
): Promise<StoredContent> {
  if (version === undefined || version === persona.version) return toContent(persona);
  const found = await findVersion(scope, persona.id, version);
  if (found) return { ...toContent(found), visibility: persona.visibility };
  throw invalidField(field, "unknown_version", `must be a version of the persona, from 1 to ${persona.latest_version}`);
}

const readSummary = itemReader(PersonaVersionSummary);

/** Lists the versions of a persona without their fields, newest first. @throws ServiceError `invalid_cursor` */
export async function listVersions(
  scope: TenantScope,
  personaId: string,
  request: PageRequest,
): Promise<Page<PersonaVersionSummary>> {
  const { pk } = toKey(scope, personaId, 0);
  const attributes = Object.keys(PersonaVersionSummary.entries);
  const list = { list: "persona-versions", filters: { personaId }, pk, attributes };
  return mapPage(await listPage(scope, { ...list, descending: true, consistent: true }, request), readSummary);
}

/** Lists the versions of a persona with their fields, newest first. @throws ServiceError `invalid_cursor` */
export async function listFullVersions(
  scope: TenantScope,
  personaId: string,
  request: PageRequest,
): Promise<Page<StoredVersion>> {
  const { pk } = toKey(scope, personaId, 0);
  const list = { list: "full-persona-versions", filters: { personaId }, pk, descending: true };
  return mapPage(await listPage(scope, list, request), readVersion);
}

/** Deletes the versions of a deleted persona. */
export async function deleteVersions(scope: TenantScope, personaId: string): Promise<void> {
  const { pk } = toKey(scope, personaId, 0);
  for (;;) {
    const items = await tenantTable(scope).query({ pk, limit: SWEEP_BATCH_SIZE, consistent: true, attributes: [] });
    await tenantTable(scope).deleteMany(items);
    if (items.length < SWEEP_BATCH_SIZE) break;
  }
}
