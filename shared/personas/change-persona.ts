import { isDeepStrictEqual } from "node:util";
import type { PersonaGate, PersonaRollout } from "../api/personas/persona.ts";
import { MAX_ROLLOUTS, type PersonaVersion } from "../api/personas/persona-versions.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, type Changes, type Write } from "../dynamodb/table.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { invalidField, notFound, ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { retry } from "../lib/retry.ts";
import { findGroup } from "../tenancy/group-store.ts";
import { type Clearance, gateConflict } from "./gate.ts";
import {
  authorizePersonaManagement,
  PersonaChanged,
  personaUnchangedSince,
  type StoredContent,
  type StoredPersona,
  toContent,
  toPersonaIndexKeys,
} from "./persona-store.ts";
import { addRollout } from "./rollouts.ts";
import { type StoredVersion, versionWrite } from "./version-store.ts";

/** Persona after a change, and the writes of the change. They throw `PersonaChanged` if the persona was written since. */
interface PersonaChange {
  readonly persona: StoredPersona;
  readonly writes: readonly Write[];
}

/** Author and circumstances of a version. */
type VersionOrigin = Pick<StoredVersion, "author_id" | "revisions"> & {
  readonly note?: string | undefined;
  readonly restored_from?: number;
};

const toVersion = (
  { id, latest_version }: StoredPersona,
  content: StoredContent,
  { author_id, note, restored_from, revisions }: VersionOrigin,
): StoredVersion => ({
  persona_id: id,
  version: latest_version,
  author_id,
  note: note || null,
  restored_from: restored_from ?? null,
  created_at: timestamp(),
  revisions,
  ...content,
});

/** Returns a new persona of the user with its first version. */
export function newPersona(scope: TenantScope, content: StoredContent, origin: VersionOrigin): PersonaChange {
  const at = timestamp();
  const persona: StoredPersona = {
    id: newId(),
    ...content,
    owner_id: origin.author_id,
    version: 1,
    latest_version: 1,
    rollouts: [],
    restored_from: null,
    revision: 1,
    endpoint: null,
    ...{ gate: null, gate_run: null, gate_override: null },
    created_at: at,
    updated_at: at,
  };
  const put = {
    ...keys.persona(scope.tenantId, persona.id),
    ...toPersonaIndexKeys(scope, persona),
    discriminator: "persona",
    timestamp: now(),
    ...persona,
  };
  return { persona, writes: [{ put, condition: absent() }, versionWrite(scope, toVersion(persona, content, origin))] };
}

const updateWrite = (scope: TenantScope, persona: StoredPersona, set: Changes["set"]): Write => ({
  update: keys.persona(scope.tenantId, persona.id),
  set: { ...set, timestamp: now() },
  add: { revision: 1 },
  condition: personaUnchangedSince(persona),
});

/** Returns what everybody gets from now on. The visibility says who may use a persona, so no version brings another one. */
const toEverybody = (persona: StoredPersona, content: StoredContent, version: number) => ({
  ...content,
  visibility: persona.visibility,
  version,
  rollouts: [],
  updated_at: timestamp(),
});

/**
 * Requires that a new version, which no test set was run with, may be published at once.
 * @throws ServiceError `conflict` if the persona has a gate and the version differs from the published one in more than its visibility
 */
function requireNoGate(persona: StoredPersona, content: StoredContent): void {
  const isSame = isDeepStrictEqual(toContent({ ...content }), {
    ...toContent(persona),
    visibility: content.visibility,
  });
  if (persona.gate === null || isSame) return;
  throw gateConflict({ reason: "draft_required", run_id: null, failed: [], item_ids: [] });
}

/**
 * Returns a persona with a new version, which everybody gets unless it is a draft. The numbers of versions have no gaps.
 * @param content fields of the version; `visibility` applies to the persona
 * @throws ServiceError `conflict` if a gate requires a draft
 */
export function addVersion(
  scope: TenantScope,
  persona: StoredPersona,
  content: StoredContent,
  { isDraft, ...origin }: VersionOrigin & { readonly isDraft: boolean },
): PersonaChange & { readonly version: StoredVersion } {
  if (!isDraft) requireNoGate(persona, content);
  const latest_version = persona.latest_version + 1;
  const set = { latest_version, restored_from: origin.restored_from ?? null };
  const changed: StoredPersona = { ...persona, ...set };
  const published = isDraft ? {} : { ...toEverybody({ ...persona, ...content }, content, latest_version) };
  const version = toVersion(changed, content, origin);
  return {
    persona: { ...changed, ...published, revision: persona.revision + 1 },
    version,
    writes: [
      updateWrite(scope, persona, {
        ...set,
        ...published,
        ...(!isDraft && toPersonaIndexKeys(scope, { ...persona, ...content })),
      }),
      versionWrite(scope, version),
    ],
  };
}

/** @throws ServiceError `validation_failed` for ids without a group */
async function requireGroups(scope: TenantScope, ids: readonly string[]): Promise<void> {
  const groups = await Promise.all(ids.map((id) => findGroup(scope, id)));
  const index = groups.findIndex((group) => !group);
  if (index < 0) return;
  throw invalidField(`group_ids.${index}`, "unknown_group", "must be the id of a group of the tenant");
}

/**
 * Returns a persona of which everybody, groups or a share of conversations get a version.
 * @throws ServiceError `validation_failed` for unknown groups; `conflict` if too many versions are published
 */
export async function publishVersion(
  scope: TenantScope,
  persona: StoredPersona,
  version: PersonaVersion & StoredVersion,
  { group_ids, percent }: Omit<PersonaRollout, "version">,
  { gate_override }: Clearance,
): Promise<PersonaChange> {
  const published =
    group_ids.length === 0 && percent === null
      ? toEverybody(persona, toContent(version), version.version)
      : { rollouts: addRollout(persona.rollouts, { version: version.version, group_ids, percent }) };
  const set = { ...published, gate_override };
  if (set.rollouts.length > MAX_ROLLOUTS) {
    throw new ServiceError("conflict", `${MAX_ROLLOUTS} versions are published already. Withdraw one first.`);
  }
  await requireGroups(scope, group_ids);
  return {
    persona: { ...persona, ...set, revision: persona.revision + 1 },
    writes: [updateWrite(scope, persona, set)],
  };
}

/** Returns a persona with another gate, or without one. */
export function changeGate(scope: TenantScope, persona: StoredPersona, gate: PersonaGate | null): PersonaChange {
  return {
    persona: { ...persona, gate, revision: persona.revision + 1 },
    writes: [updateWrite(scope, persona, { gate })],
  };
}

/** Returns the write that records which run tests a version for the gate. It throws `PersonaChanged`. */
export const gateRunWrite = (scope: TenantScope, persona: StoredPersona, version: number, run_id: string): Write =>
  updateWrite(scope, persona, { gate_run: { version, run_id } });

/**
 * Returns the write that ends the publication of a version to groups and a share of conversations.
 * @throws ServiceError `not_found` if it is not published so, `conflict` if everybody gets it
 */
export function withdrawVersionWrite(scope: TenantScope, persona: StoredPersona, version: number): Write {
  const rollouts = persona.rollouts.filter((rollout) => rollout.version !== version);
  if (rollouts.length < persona.rollouts.length) return updateWrite(scope, persona, { rollouts });
  if (version !== persona.version) throw notFound();
  throw new ServiceError("conflict", "Everybody gets this version. Publish another one instead.");
}

/** Maximum number of attempts if a persona is changed concurrently. */
const MAX_ATTEMPTS = 30;

/**
 * Changes a persona that the user manages. Reads it again and repeats the change if another one was faster.
 * @throws ServiceError `not_found`, `forbidden`, `conflict` if others change it continually, and the errors of `change`
 */
export const changeManagedPersona = <Result>(
  principal: UserPrincipal,
  id: string,
  change: (persona: StoredPersona) => Promise<Result>,
): Promise<Result> =>
  retry(async () => change(await authorizePersonaManagement(principal, id)), {
    maxAttempts: MAX_ATTEMPTS,
    isRetryable: (error) => error instanceof PersonaChanged,
  });
