import type { Persona } from "../api/personas/personas.ts";
import type { ChatPrincipal, UserPrincipal } from "../auth/principal.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listMergedPage } from "../dynamodb/merged-page.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { changedConcurrently, invalidField, notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { groupsOf } from "../tenancy/group-store.ts";
import { checkManageable, mayUse, type PersonaViewer } from "./persona-rules.ts";

/** A persona as it is kept: with its instructions. */
export interface StoredPersona extends Persona {
  readonly instructions: string;
  /** Goes up with every write, publications included. */
  readonly revision: number;
}

/** What can be said of a persona. */
export type PersonaFields = Pick<
  StoredPersona,
  | "name"
  | "description"
  | "instructions"
  | "visibility"
  | "tier"
  | "collection_ids"
  | "tools"
  | "greeting"
  | "starter_prompts"
>;

/** The persona of an item. */
export const personaOf = (item: Item) => item as unknown as StoredPersona;

/** Private ones are in a list of their owner's, so that they cost nobody else's list anything. */
function placeInLists(scope: TenantScope, { id, owner_id, visibility }: Persona) {
  const { tenantId } = scope;
  return visibility === "private"
    ? indexKeys.privatePersona(tenantId, owner_id, id)
    : indexKeys.sharedPersona(tenantId, id);
}

/** The person as far as it matters for personas. */
export async function personaViewer(principal: UserPrincipal): Promise<PersonaViewer> {
  const { userId, roles } = principal;
  const groups = await groupsOf(principal, userId);
  return {
    userId,
    isAdmin: [...roles, ...groups.flatMap((group) => group.roles)].includes("admin"),
    teamMates: new Set(groups.flatMap((group) => group.member_ids)),
  };
}

/** A fresh persona of the user. */
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

/** The write that stores a fresh persona. */
export function newPersonaWrite(scope: TenantScope, persona: StoredPersona): Write {
  return {
    put: {
      ...keys.persona(scope.tenantId, persona.id),
      ...placeInLists(scope, persona),
      discriminator: "persona",
      timestamp: now(),
      ...persona,
    },
    condition: { where: "attribute_not_exists(#pk)" },
  };
}

/** A persona whoever asks, or undefined: for what acts in the tenant's own name. */
export async function findPersona(scope: TenantScope, id: string): Promise<StoredPersona | undefined> {
  const item = await tenantTable(scope).get(keys.persona(scope.tenantId, id), { consistent: true });
  return item && personaOf(item);
}

/**
 * The persona that somebody's conversation speaks with, instructions included; null where there is none any more, or
 * none this person may use.
 */
export async function personaForChat(
  principal: ChatPrincipal,
  personaId: string | null,
): Promise<StoredPersona | null> {
  const persona = personaId === null ? undefined : await findPersona(principal, personaId);
  if (!persona) return null;
  if (principal.kind === "visitor") return mayUse(persona, null) ? persona : null;
  const isOpen = mayUse(persona, { userId: principal.userId, isAdmin: false, teamMates: new Set() });
  return isOpen || mayUse(persona, await personaViewer(principal)) ? persona : null;
}

/**
 * A persona, for somebody who may use it, and how that person sees it.
 * @throws ServiceError `not_found`
 */
export async function personaFor(principal: UserPrincipal, id: string) {
  const [persona, viewer] = await Promise.all([findPersona(principal, id), personaViewer(principal)]);
  if (!persona || !mayUse(persona, viewer)) throw notFound();
  return { persona, viewer };
}

/**
 * Checks that a persona may speak with the visitors of a website, where one is given.
 * @throws ServiceError `not_found` for one that this person may not use, `validation_failed` for one that is not public
 */
export async function checkPersonaOfSite(principal: UserPrincipal, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined) return;
  const { persona } = await personaFor(principal, id);
  if (mayUse(persona, null)) return;
  throw invalidField({ path: "persona_id", location: "body", code: "not_public", message: "must be a public persona" });
}

/**
 * A persona, for somebody who may change it.
 * @throws ServiceError `not_found`, `forbidden`
 */
export async function managedPersona(principal: UserPrincipal, id: string): Promise<StoredPersona> {
  const { persona, viewer } = await personaFor(principal, id);
  checkManageable(persona, viewer);
  return persona;
}

/**
 * The personas somebody may use, newest first.
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
            where: (item) => mayUse(personaOf(item), viewer),
          },
        ],
        request,
      );
  return { entries: entries.map(personaOf), next };
}

/** Holds as long as nobody else has written to the persona. */
export const unchanged = ({ revision }: StoredPersona) => ({
  where: "#revision = :revision",
  values: { revision },
  onConditionFailed: (found: Item | undefined) => (found ? changedConcurrently("The persona") : notFound()),
});

/**
 * Changes a persona, which makes it the next version.
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
      ...(changes.visibility && placeInLists(scope, { ...persona, ...changes })),
      updated_at: timestamp(),
      timestamp: now(),
    },
    add: { version: 1, revision: 1 },
    condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
  });
  return personaOf(item as Item);
}
