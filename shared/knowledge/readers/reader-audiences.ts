import { GROUP_READER } from "../../api/knowledge/reader-names.ts";
import { keys } from "../../dynamodb/keys.ts";
import type { Item } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { sha256 } from "../../lib/hash.ts";
import { log } from "../../lib/log.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { type Audience, userAudiences } from "../knowledge-access.ts";
import { type AudienceState, readAudienceStates } from "../vectors/audience-states.ts";
import {
  type CollectionAccess,
  type DocumentAccess,
  LISTED_PREFIX,
  personReader,
  type ReaderClause,
  toAudience,
  toClauses,
  toOwnAudience,
} from "./audiences.ts";
import type { ReaderAccess } from "./reader-access.ts";

/**
 * Number of audiences up to which a search is ordinary. More are searched as well, so that nothing readable is missing, and
 * reported, because each costs about half a read unit per word of the question (`docs/guides/knowledge.md`).
 */
export const ORDINARY_AUDIENCES = 10;

/** Prefix of the attributes of a reader's statistics that name the audiences of its lists; a hash follows. */
const LIST_ATTRIBUTE = "list_";

/** Attribute of the tenant's statistics: set once a list names a group, so that other tenants' searches read no groups. */
const HAS_GROUPS = "has_groups";

/** Hash that stands for a reader in stored clauses. The erasure of a person leaves no id there. */
const toMark = (reader: string) => sha256(reader).slice(0, 22);

export const toListAttribute = (audience: Audience) => LIST_ATTRIBUTE + audience.slice(LISTED_PREFIX.length);

/** Returns the audiences of lists that name a reader, from the item of its statistics. */
export function findLists(item: Item | undefined): Audience[] {
  return Object.keys(item ?? {}).flatMap((name) =>
    name.startsWith(LIST_ATTRIBUTE) ? [`${LISTED_PREFIX}${name.slice(LIST_ATTRIBUTE.length)}` as const] : [],
  );
}

/**
 * Returns the audiences to which a reader belongs now, with the states of their indexes. For a reader whom no list of readers
 * names, this costs no more than the states of the tenant's and the reader's own index.
 */
export async function readAudiences(
  access: ReaderAccess,
  options: { readonly withVectors: boolean },
): Promise<Map<Audience, AudienceState>> {
  const { userId } = access;
  const states = await readAudienceStates(access, userAudiences(userId), options);
  if (userId === null) return states;
  const groups = states.get("tenant")?.item?.[HAS_GROUPS] === true ? await access.groups() : new Set<string>();
  const ofGroups = await readAudienceStates(access, [...groups].map(toOwnAudience), { withVectors: false });
  const candidates = new Set([...states.values(), ...ofGroups.values()].flatMap(({ item }) => findLists(item)));
  if (candidates.size === 0) return states;
  const marks = new Set([personReader(userId), ...groups].map(toMark));
  const fulfills = ({ item }: AudienceState) => {
    const clauses = item?.clauses as readonly ReaderClause[] | undefined;
    return clauses?.every((clause) => clause.some((mark) => marks.has(mark))) ?? false;
  };
  for (const [audience, state] of await readAudienceStates(access, [...candidates], options)) {
    if (state.statistics.passages > 0 && fulfills(state)) states.set(audience, state);
  }
  if (states.size > ORDINARY_AUDIENCES) log.info("search in many audiences", { audiences: states.size });
  return states;
}

/**
 * Records the audience of a list of readers, so that the searches of these readers find it. Idempotent, and a single read if
 * it is recorded. It must be recorded before the first passage of the audience becomes active.
 */
export async function recordAudience(
  scope: TenantScope,
  collection: CollectionAccess,
  document?: DocumentAccess,
): Promise<void> {
  const audience = toAudience(collection, document);
  if (!audience.startsWith(LISTED_PREFIX)) return;
  const { tenantId } = scope;
  const table = tenantTable(scope);
  const item = await table.get(keys.indexStatistics(tenantId, audience), { consistent: true });
  if (item?.clauses !== undefined) return;
  const clauses = toClauses(collection, document);
  // All readers of the audience are among those of each clause.
  const [smallest = []] = clauses.toSorted((one, other) => one.length - other.length);
  const discriminator = "index-statistics";
  const owners = smallest.map(toOwnAudience);
  await mapConcurrent(owners, (owner) =>
    table.write({
      update: keys.indexStatistics(tenantId, owner),
      set: { discriminator, [toListAttribute(audience)]: true },
    }),
  );
  if (smallest.some((reader) => reader.startsWith(GROUP_READER))) {
    await table.write({
      update: keys.indexStatistics(tenantId, "tenant"),
      set: { discriminator, [HAS_GROUPS]: true },
    });
  }
  // Last, because it tells that the readers know the audience.
  await table.write({
    update: keys.indexStatistics(tenantId, audience),
    set: { discriminator, clauses: clauses.map((clause) => clause.map(toMark)) },
  });
}
