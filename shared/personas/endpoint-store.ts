import * as v from "valibot";
import { PersonaEndpoint } from "../api/personas/personas.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, anyOf, equals, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { toSlug } from "./persona-rules.ts";
import { personaUnchangedSince, StoredPersona } from "./persona-store.ts";

export const endpointAccess = itemAccess("endpoint", "get", "query", "put", "delete");

const Endpoint = v.object({
  ...PersonaEndpoint.entries,
  ...v.pick(StoredPersona, [
    "name",
    "description",
    "instructions",
    "visibility",
    "tier",
    "model",
    "temperature",
    "max_output_tokens",
    "collection_ids",
    "tools",
    "tool_servers",
    "api_tools",
    "greeting",
    "starter_prompts",
    "guardrails",
    "owner_id",
  ]).entries,
  persona_id: v.string(),
});
/** Published persona: a snapshot of the fields that answering under its slug requires. */
export type Endpoint = v.InferOutput<typeof Endpoint>;

const readEndpoint = itemReader(Endpoint);

/** Finds the published persona with a slug; undefined if there is none or publication is disabled. */
export async function findEndpoint(scope: TenantScope, slug: string): Promise<Endpoint | undefined> {
  const item = await tenantTable(scope).get(keys.endpoint(scope.tenantId, slug), { consistent: true });
  return item?.enabled ? readEndpoint(item) : undefined;
}

/** Lists the published personas of the tenant that are enabled, in order of slug. */
export async function listEndpoints(scope: TenantScope): Promise<Endpoint[]> {
  const items = await tenantTable(scope).query({ pk: keys.endpoint(scope.tenantId, "").pk });
  return items.map(readEndpoint).filter(({ enabled }) => enabled);
}

const slugTaken = () => new ServiceError("conflict", "Another persona is already published under this slug.");

/** Condition that this persona, and no other one, is still published under the slug. */
const ownsSlug = (personaId: string) => equals({ persona_id: personaId });

function releaseSlugWrite(scope: TenantScope, { id }: StoredPersona, slug: string): Write {
  return { delete: keys.endpoint(scope.tenantId, slug), condition: ownsSlug(id) };
}

/** Returns the persona with its new endpoint, and the writes that publish it. They throw `conflict` if the slug is taken. */
export function preparePublication(
  scope: TenantScope,
  persona: StoredPersona,
  { slug = persona.endpoint?.slug ?? toSlug(persona), enabled }: { slug?: string; enabled: boolean },
): { published: StoredPersona; writes: Write[] } {
  const { id, version, owner_id, endpoint: previousEndpoint } = persona;
  const { name, description, instructions, visibility, tier, model, temperature, max_output_tokens } = persona;
  const { collection_ids, tools, tool_servers, api_tools, greeting, starter_prompts, guardrails } = persona;
  const endpoint: PersonaEndpoint = { slug, enabled, published_at: timestamp(), version };
  const snapshot: Endpoint = {
    ...endpoint,
    persona_id: id,
    owner_id,
    ...{ name, description, instructions, visibility, tier, model, temperature, max_output_tokens },
    ...{ collection_ids, tools, tool_servers, api_tools, greeting, starter_prompts, guardrails },
  };
  const writes: Write[] = [
    {
      put: { ...keys.endpoint(scope.tenantId, slug), discriminator: "endpoint", timestamp: now(), ...snapshot },
      condition: anyOf([absent(), ownsSlug(id)], slugTaken),
    },
    {
      update: keys.persona(scope.tenantId, id),
      set: { endpoint, timestamp: now() },
      add: { revision: 1 },
      condition: personaUnchangedSince(persona),
    },
  ];
  if (previousEndpoint && previousEndpoint.slug !== slug) {
    writes.push(releaseSlugWrite(scope, persona, previousEndpoint.slug));
  }
  return { published: { ...persona, endpoint }, writes };
}

/**
 * Unpublishes a persona and releases its slug.
 * @throws ServiceError `not_found` if the persona is not published, `conflict` if it was changed since it was read
 */
export async function unpublish(scope: TenantScope, persona: StoredPersona): Promise<void> {
  if (!persona.endpoint) throw notFound();
  await tenantTable(scope).transact([
    {
      update: keys.persona(scope.tenantId, persona.id),
      set: { endpoint: null, timestamp: now() },
      add: { revision: 1 },
      condition: personaUnchangedSince(persona),
    },
    releaseSlugWrite(scope, persona, persona.endpoint.slug),
  ]);
}

/**
 * Returns the writes that delete a persona and its endpoint. They throw `conflict` if the persona was changed since it was
 * read.
 */
export function deletePersonaWrites(scope: TenantScope, persona: StoredPersona): Write[] {
  return [
    { delete: keys.persona(scope.tenantId, persona.id), condition: personaUnchangedSince(persona) },
    ...(persona.endpoint ? [releaseSlugWrite(scope, persona, persona.endpoint.slug)] : []),
  ];
}

/**
 * Deletes a persona and its endpoint.
 * @throws ServiceError `not_found`, `conflict` if the persona was changed since it was read
 */
export async function deletePersona(scope: TenantScope, persona: StoredPersona): Promise<void> {
  await tenantTable(scope).transact(deletePersonaWrites(scope, persona));
}
