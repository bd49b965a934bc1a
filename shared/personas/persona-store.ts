import * as v from "valibot";
import { Persona, PersonaContent } from "../api/personas/persona.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { equals, type Item } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { invalidField, notFound, ServiceError } from "../lib/errors.ts";
import { listGroupsOfUser } from "../tenancy/group-store.ts";
import { GateOverride } from "./gate.ts";
import { authorizePersonaChange, canUsePersona, type PersonaViewer } from "./persona-rules.ts";

/** Schema of the fields that versions record, as they are stored. */
export const StoredContent = v.object({
  ...PersonaContent.entries,
  instructions: v.string(),
  // A persona may name a tool that a later release removed.
  tools: trusted<Persona["tools"]>(),
});
export type StoredContent = v.InferOutput<typeof StoredContent>;

/** Returns the fields of a persona, a version or an endpoint that versions record. */
export const toContent = itemReader(StoredContent);

const StoredPersona = v.object({
  ...Persona.entries,
  ...StoredContent.entries,
  latest_version: v.number(),
  /** Number for optimistic locking. Every write increments it, including those that make no version. */
  revision: v.number(),
  /** Version whose fields the newest version restored; null if it restored none. */
  restored_from: v.nullable(v.number()),
  /** Run that a publication started, so that the next one finds it at once. */
  gate_run: v.nullable(v.object({ version: v.number(), run_id: v.string() })),
  /** Why the latest publication passed although the gate stopped it; null if the gate did not. */
  gate_override: v.nullable(GateOverride),
});
/** Stored persona, with its instructions. */
export type StoredPersona = v.InferOutput<typeof StoredPersona>;

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

/** The persona was written after it was read. */
export class PersonaChanged extends ServiceError {
  constructor() {
    super("conflict", "The persona was changed concurrently; reload and retry.");
  }
}

/** Condition that a persona has not been written since it was read. */
export const personaUnchangedSince = ({ revision }: StoredPersona) =>
  equals({ revision }, (existing: Item | undefined) => (existing ? new PersonaChanged() : notFound()));
