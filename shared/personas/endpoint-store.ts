import * as v from "valibot";
import { PersonaEndpoint } from "../api/personas/persona.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, anyOf, equals, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import type { Clearance } from "./gate.ts";
import { toSlug } from "./persona-rules.ts";
import { personaUnchangedSince, StoredContent, type StoredPersona } from "./persona-store.ts";

const Endpoint = v.object({
  ...PersonaEndpoint.entries,
  ...StoredContent.entries,
  owner_id: v.string(),
  persona_id: v.string(),
  /** Name under which this item is stored, if it is not the slug: an alias, or a pattern of names. */
  alias: v.optional(v.string()),
});
/** Published persona: its version with the number that the endpoint names, so that a request reads one item. */
export type Endpoint = v.InferOutput<typeof Endpoint>;

const readEndpoint = itemReader(Endpoint);

/** Length of the longest model name. A key of the table has at most 1,024 bytes. */
const MAX_NAME_CHARACTERS = 128;

/** Maximum number of patterns that are looked up for a name. */
const MAX_PATTERNS = 20;

/** Returns the patterns that match a model name, the longest first: `claude-sonnet-*` and `claude-*` for `claude-sonnet-4`. */
const patternsOf = (name: string): string[] =>
  [...name.matchAll(/[._:/@-]/g)]
    .slice(0, MAX_PATTERNS)
    .map(({ index }) => `${name.slice(0, index + 1)}*`)
    .reverse();

const readEnabled = (item: Item | undefined) => (item?.enabled ? readEndpoint(item) : undefined);

/**
 * Finds the published persona that answers a model name: with this slug or alias, or else with the longest pattern that
 * matches; undefined if there is none or its publication is disabled.
 */
export async function findEndpoint(scope: TenantScope, name: string): Promise<Endpoint | undefined> {
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  const toKey = (stored: string) => keys.endpoint(scope.tenantId, stored);
  const item = await tenantTable(scope).get(toKey(name), { consistent: true });
  const patterns = patternsOf(name);
  if (item || patterns.length === 0) return readEnabled(item);
  const found = await tenantTable(scope).getMany(patterns.map(toKey), { consistent: true });
  const longest = patterns.map((pattern) => found.find(({ alias }) => alias === pattern)).find(Boolean);
  return readEnabled(longest);
}

/** Lists the published personas of the tenant that are enabled, once for each slug and alias, in order of name. */
export async function listEndpoints(scope: TenantScope): Promise<Endpoint[]> {
  const items = await tenantTable(scope).query({ pk: keys.endpoint(scope.tenantId, "").pk });
  return items.map(readEndpoint).filter(({ enabled, alias }) => enabled && !alias?.endsWith("*"));
}

const nameTaken = (name: string) => () =>
  new ServiceError("conflict", `Another persona is already published under the name ${name}.`);

/** Condition that this persona, and no other one, is still published under the name. */
const ownsName = (personaId: string) => equals({ persona_id: personaId });

const namesOf = ({ slug, aliases }: Pick<PersonaEndpoint, "slug" | "aliases">): Set<string> =>
  new Set([slug, ...aliases]);

/** Returns the writes that release names of a persona. */
const releaseWrites = (scope: TenantScope, { id }: StoredPersona, names: Iterable<string>): Write[] =>
  [...names].map((name) => ({ delete: keys.endpoint(scope.tenantId, name), condition: ownsName(id) }));

/** Returns the writes that change the owner in the items under whose names a persona is published. */
export const endpointOwnerWrites = (scope: TenantScope, { id, endpoint }: StoredPersona, owner_id: string): Write[] =>
  [...(endpoint?.enabled ? namesOf(endpoint) : [])].map((name) => ({
    update: keys.endpoint(scope.tenantId, name),
    set: { owner_id, timestamp: now() },
    condition: ownsName(id),
  }));

/**
 * Returns the persona with its new endpoint, and the writes that publish it. They throw `conflict` if a name is taken.
 * @param clearance null for an endpoint that is not enabled
 */
export function preparePublication(
  scope: TenantScope,
  persona: StoredPersona,
  { version, content }: { readonly version: number; readonly content: StoredContent },
  {
    slug = persona.endpoint?.slug ?? toSlug(persona),
    aliases = persona.endpoint?.aliases ?? [],
  }: { slug?: string; aliases?: readonly string[] },
  clearance: Clearance | null,
): { published: StoredPersona; writes: Write[] } {
  const { id, owner_id, endpoint: previousEndpoint } = persona;
  const names = namesOf({ slug, aliases: [...aliases] });
  const others = [...names].filter((name) => name !== slug);
  const endpoint: PersonaEndpoint = {
    slug,
    aliases: others,
    enabled: clearance !== null,
    published_at: timestamp(),
    version,
  };
  const snapshot: Omit<Endpoint, "alias"> = { ...endpoint, ...content, persona_id: id, owner_id };
  const writes: Write[] = [
    ...[...names].map((name) => ({
      put: {
        ...keys.endpoint(scope.tenantId, name),
        discriminator: "endpoint",
        timestamp: now(),
        ...(name !== slug && { alias: name }),
        ...snapshot,
      },
      condition: anyOf([absent(), ownsName(id)], nameTaken(name)),
    })),
    {
      update: keys.persona(scope.tenantId, id),
      set: { endpoint, ...clearance, timestamp: now() },
      add: { revision: 1 },
      condition: personaUnchangedSince(persona),
    },
  ];
  const previousNames = previousEndpoint ? [...namesOf(previousEndpoint)] : [];
  writes.push(
    ...releaseWrites(
      scope,
      persona,
      previousNames.filter((name) => !names.has(name)),
    ),
  );
  return { published: { ...persona, endpoint, revision: persona.revision + 1 }, writes };
}

/**
 * Unpublishes a persona and releases its names.
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
    ...releaseWrites(scope, persona, namesOf(persona.endpoint)),
  ]);
}

/**
 * Returns the writes that delete a persona and its endpoint. They throw `conflict` if the persona was changed since it was
 * read.
 */
export function deletePersonaWrites(scope: TenantScope, persona: StoredPersona): Write[] {
  return [
    { delete: keys.persona(scope.tenantId, persona.id), condition: personaUnchangedSince(persona) },
    ...(persona.endpoint ? releaseWrites(scope, persona, namesOf(persona.endpoint)) : []),
  ];
}

/**
 * Deletes a persona and its endpoint.
 * @throws ServiceError `not_found`, `conflict` if the persona was changed since it was read
 */
export async function deletePersona(scope: TenantScope, persona: StoredPersona): Promise<void> {
  await tenantTable(scope).transact(deletePersonaWrites(scope, persona));
}
