import * as v from "valibot";
import { Persona } from "../api/personas/personas.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, equals, exists, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, invalidField, notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { listGroupsOfUser } from "../tenancy/group-store.ts";
import { authorizePersonaChange, canUsePersona, type PersonaViewer } from "./persona-rules.ts";

export const StoredPersona = v.object({
  ...Persona.entries,
  instructions: v.string(),
  // A persona may name a tool that a later release removed.
  tools: trusted<Persona["tools"]>(),
  /** Number for optimistic locking. Every write increments it, including publication, which does not change `version`. */
  revision: v.number(),
});
/** Stored persona, with its instructions. */
export type StoredPersona = v.InferOutput<typeof StoredPersona>;

/** Fields of a persona that a user can set. */
type PersonaFields = Pick<
  StoredPersona,
  | "name"
  | "description"
  | "instructions"
  | "visibility"
  | "tier"
  | "model"
  | "temperature"
  | "max_output_tokens"
  | "collection_ids"
  | "tools"
  | "tool_servers"
  | "api_tools"
  | "greeting"
  | "starter_prompts"
  | "guardrails"
>;

export const readPersona = itemReader(StoredPersona);

/**
 * Returns the keys of the index entry. A private persona is in its owner's own list, so that lists of other users do not read
 * it.
 */
export function toPersonaIndexKeys(scope: TenantScope, { id, owner_id, visibility }: Persona) {
  const { tenantId } = scope;
  return visibility === "private"
    ? indexKeys.privatePersona(tenantId, owner_id, id)
    : indexKeys.sharedPersona(tenantId, id);
}

/** Returns the attributes of a user that determine access to personas. Reads the user's groups. */
export async function getPersonaViewer(principal: UserPrincipal): Promise<PersonaViewer> {
  const { userId, roles, apiKey } = principal;
  const groups = await listGroupsOfUser(principal, userId);
  return {
    userId,
    isAdmin: apiKey === undefined && [...roles, ...groups.flatMap((group) => group.roles)].includes("admin"),
    teammateIds: new Set(groups.flatMap((group) => group.member_ids)),
    groupIds: new Set(groups.map(({ id }) => id)),
  };
}

/** Returns a new persona of the user, which is not stored yet. */
export function newPersona(ownerId: string, fields: PersonaFields): StoredPersona {
  const at = timestamp();
  return {
    id: newId(),
    ...fields,
    owner_id: ownerId,
    version: 1,
    revision: 1,
    endpoint: null,
    created_at: at,
    updated_at: at,
  };
}

export function newPersonaWrite(scope: TenantScope, persona: StoredPersona): Write {
  return {
    put: {
      ...keys.persona(scope.tenantId, persona.id),
      ...toPersonaIndexKeys(scope, persona),
      discriminator: "persona",
      timestamp: now(),
      ...persona,
    },
    condition: absent(),
  };
}

/** Finds a persona without checking access to it. */
export async function findPersona(scope: TenantScope, id: string): Promise<StoredPersona | undefined> {
  const item = await tenantTable(scope).get(keys.persona(scope.tenantId, id), { consistent: true });
  return item && readPersona(item);
}

/**
 * Checks that a user can use a persona, and returns the persona and the user's access attributes.
 * @throws ServiceError `not_found`
 */
export async function authorizePersonaUse(principal: UserPrincipal, id: string) {
  const [persona, viewer] = await Promise.all([findPersona(principal, id), getPersonaViewer(principal)]);
  if (!persona || !canUsePersona(persona, viewer)) throw notFound();
  return { persona, viewer };
}

/**
 * Checks that a persona is public, so that widget visitors can use it; null and undefined pass.
 * @throws ServiceError `not_found` if the user cannot use the persona, `validation_failed` if it is not public
 */
export async function requirePublicPersona(principal: UserPrincipal, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const { persona } = await authorizePersonaUse(principal, id);
  if (canUsePersona(persona, null)) return;
  throw invalidField("persona_id", "not_public", "must be a public persona");
}

/**
 * Checks that a user can change a persona, and returns it.
 * @throws ServiceError `not_found`, `forbidden`
 */
export async function authorizePersonaManagement(principal: UserPrincipal, id: string): Promise<StoredPersona> {
  const { persona, viewer } = await authorizePersonaUse(principal, id);
  authorizePersonaChange(persona, viewer);
  return persona;
}

/**
 * Lists the personas that the user can use, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listPersonas(
  scope: TenantScope,
  viewer: PersonaViewer,
  request: PageRequest,
): Promise<Page<StoredPersona>> {
  const { tenantId } = scope;
  const { userId, isAdmin } = viewer;
  const list = { list: "personas", filters: { userId, isAdmin } };
  const { entries, next } = isAdmin
    ? await listPage(scope, { ...list, pk: keys.persona(tenantId, "").pk, descending: true }, request)
    : await listMergedPage(
        scope,
        list,
        [
          { index: "gsi1", pk: indexKeys.privatePersona(tenantId, userId, "").gsi1pk },
          {
            index: "gsi1",
            pk: indexKeys.sharedPersona(tenantId, "").gsi1pk,
            where: (item) => canUsePersona(readPersona(item), viewer),
          },
        ],
        request,
      );
  return { entries: entries.map(readPersona), next };
}

/** Condition that a persona has not been written since it was read. */
export const personaUnchangedSince = ({ revision }: StoredPersona) =>
  equals({ revision }, (existing: Item | undefined) => (existing ? changedConcurrently("The persona") : notFound()));

/**
 * Updates a persona and increments its version.
 * @throws ServiceError `not_found`
 */
export async function updatePersona(
  scope: TenantScope,
  persona: StoredPersona,
  changes: Partial<PersonaFields>,
): Promise<StoredPersona> {
  const item = await tenantTable(scope).write({
    update: keys.persona(scope.tenantId, persona.id),
    set: {
      ...changes,
      ...(changes.visibility && toPersonaIndexKeys(scope, { ...persona, ...changes })),
      updated_at: timestamp(),
      timestamp: now(),
    },
    add: { version: 1, revision: 1 },
    condition: exists(notFound),
  });
  return readPersona(item as Item);
}
