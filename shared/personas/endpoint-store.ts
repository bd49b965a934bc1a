import type { PersonaEndpoint } from "../api/personas/personas.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { slugOf } from "./persona-rules.ts";
import { type PersonaFields, type StoredPersona, unchanged } from "./persona-store.ts";

/** A published persona: all that answering under its slug needs, as it was when it was published. */
export interface Endpoint extends PersonaFields, PersonaEndpoint {
  readonly persona_id: string;
  readonly owner_id: string;
}

const endpointOf = (item: Item) => item as unknown as Endpoint;

/** The endpoint that answers under a slug, or undefined: a disabled one does not answer. One read. */
export async function findEndpoint(scope: TenantScope, slug: string): Promise<Endpoint | undefined> {
  const item = await tenantTable(scope).get(keys.endpoint(scope.tenantId, slug), { consistent: true });
  return item?.enabled ? endpointOf(item) : undefined;
}

/** The tenant's endpoints that answer, by slug. */
export async function listEndpoints(scope: TenantScope): Promise<Endpoint[]> {
  const items = await tenantTable(scope).query({ pk: keys.endpoint(scope.tenantId, "").pk });
  return items.map(endpointOf).filter(({ enabled }) => enabled);
}

const slugTaken = () => new ServiceError("conflict", "Another persona is published under this slug.");

/** A slug belongs to the persona that is published there; nobody else can free it. */
const ownSlug = (personaId: string) => ({ where: "#persona_id = :persona_id", values: { persona_id: personaId } });

function freeSlugWrite(scope: TenantScope, { id }: StoredPersona, slug: string): Write {
  return { delete: keys.endpoint(scope.tenantId, slug), condition: ownSlug(id) };
}

/** A publication: the persona as it is afterwards, and the writes that make it so. */
export function publication(
  scope: TenantScope,
  persona: StoredPersona,
  { slug = persona.endpoint?.slug ?? slugOf(persona), enabled }: { slug?: string; enabled: boolean },
): { published: StoredPersona; writes: Write[] } {
  const { id, version, owner_id, endpoint: earlier } = persona;
  const { name, description, instructions, visibility, tier } = persona;
  const { collection_ids, tools, greeting, starter_prompts } = persona;
  const endpoint: PersonaEndpoint = { slug, enabled, published_at: timestamp(), version };
  const snapshot: Endpoint = {
    ...endpoint,
    persona_id: id,
    owner_id,
    ...{ name, description, instructions, visibility, tier, collection_ids, tools, greeting, starter_prompts },
  };
  const writes: Write[] = [
    {
      put: { ...keys.endpoint(scope.tenantId, slug), discriminator: "endpoint", timestamp: now(), ...snapshot },
      condition: {
        ...ownSlug(id),
        where: "attribute_not_exists(#pk) OR #persona_id = :persona_id",
        onConditionFailed: slugTaken,
      },
    },
    {
      update: keys.persona(scope.tenantId, id),
      set: { endpoint, timestamp: now() },
      add: { revision: 1 },
      condition: unchanged(persona),
    },
  ];
  if (earlier && earlier.slug !== slug) writes.push(freeSlugWrite(scope, persona, earlier.slug));
  return { published: { ...persona, endpoint }, writes };
}

/**
 * Takes a persona's endpoint away; its slug is free in the same moment.
 * @throws ServiceError `not_found` where it is not published, `conflict` where it was changed at the same moment
 */
export async function unpublish(scope: TenantScope, persona: StoredPersona): Promise<void> {
  if (!persona.endpoint) throw notFound();
  await tenantTable(scope).transact([
    {
      update: keys.persona(scope.tenantId, persona.id),
      set: { endpoint: null, timestamp: now() },
      add: { revision: 1 },
      condition: unchanged(persona),
    },
    freeSlugWrite(scope, persona, persona.endpoint.slug),
  ]);
}

/** The writes that delete a persona and its endpoint; they fail where it was changed since it was read. */
export function deletedPersonaWrites(scope: TenantScope, persona: StoredPersona): Write[] {
  return [
    { delete: keys.persona(scope.tenantId, persona.id), condition: unchanged(persona) },
    ...(persona.endpoint ? [freeSlugWrite(scope, persona, persona.endpoint.slug)] : []),
  ];
}

/**
 * Deletes a persona and its endpoint.
 * @throws ServiceError `not_found`, `conflict` where it was changed at the same moment
 */
export async function deletePersona(scope: TenantScope, persona: StoredPersona): Promise<void> {
  await tenantTable(scope).transact(deletedPersonaWrites(scope, persona));
}
