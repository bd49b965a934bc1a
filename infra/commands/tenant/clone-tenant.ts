import { PERSON_READER } from "../../../shared/api/knowledge/reader-names.ts";
import { sha256 } from "../../../shared/lib/hash.ts";
import { type CellTable, digestTenant, forEachItem, putCopies, type RawItem, type RawValue } from "./tenant-items.ts";

/**
 * Item types that are cloned. Keys, tokens, channels, endpoints and their lookups are not, because a secret must not give
 * access to two tenants, nor are derived items, such as search indexes, usage and the audit trail.
 */
const clonedTypes: ReadonlySet<string> = new Set([
  ...[
    "tenant",
    "user",
    "policy",
    "role",
    "group",
    "group-name",
    "membership",
    "persona",
    "persona-version",
    "template",
  ],
  ...["conversation", "message", "summary", "folder", "folder-name", "folder-entry", "feedback", "listed-feedback"],
  ...["grant", "collection", "collection-name", "document", "document-source", "memory", "note"],
]);

/** Item types whose keys contain names that users chose. A redacted clone does not have them. */
const namedTypes: ReadonlySet<string> = new Set(["group-name", "folder-name", "collection-name"]);

/**
 * Attributes with ids, states, times or keys, which a redacted clone keeps readable. The value by which an identity provider
 * knows a person or group is none.
 */
const structural =
  /^(?!external_id$)(?:pk|sk|gsi1pk|gsi1sk|id|discriminator|slug|status|state|role|roles|type|tier|kind|visibility|readers|permission|permissions|access|scope|rating|format|level|language|model|plan|capabilities|tools|sha256|hash|media_type|cursor|.*_(?:id|ids|at|by|origin|type|status|until))$/;

/** Replaces the ids of the tenant and its users in a text, where they are whole parts between `#`. */
const rename = (text: string, names: ReadonlyMap<string, string>) =>
  text
    .split("#")
    .map((part) => names.get(part) ?? part)
    .join("#");

/** Replaces each letter by `x` and each digit by 0, so that length and punctuation stay. */
const redactText = (text: string) => text.replaceAll(/\p{L}/gu, "x").replaceAll(/\p{N}/gu, "0");

function convert(name: string, value: RawValue, names: ReadonlyMap<string, string>, isRedacted: boolean): RawValue {
  const convertText = (text: string) => (isRedacted && !structural.test(name) ? redactText(text) : rename(text, names));
  if (typeof value.S === "string") return { S: convertText(value.S) };
  // A set has no equal members.
  if (Array.isArray(value.SS)) return { SS: [...new Set(value.SS.map((text) => convertText(String(text))))] };
  // Bytes can be compressed texts.
  if (isRedacted && (value.B !== undefined || value.BS !== undefined)) return { NULL: true };
  if (Array.isArray(value.L)) return { L: value.L.map((each) => convert(name, each as RawValue, names, isRedacted)) };
  if (typeof value.M !== "object" || value.M === null) return value;
  const entries = Object.entries(value.M as Record<string, RawValue>);
  return { M: Object.fromEntries(entries.map(([key, each]) => [key, convert(key, each, names, isRedacted)])) };
}

/**
 * Returns the copy of an item for the clone.
 * @param names new ids of the tenant and its users by old id
 */
const toClonedItem = (item: RawItem, names: ReadonlyMap<string, string>, isRedacted: boolean): RawItem =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, convert(name, value, names, isRedacted)]),
  ) as RawItem;

/**
 * Copies users, settings, conversations and knowledge of a tenant to a new tenant.
 * @param isRedacted true to replace texts and user ids
 * @returns number of copied items
 * @throws Error if the new tenant exists
 */
export async function cloneTenant(
  from: CellTable,
  to: CellTable,
  {
    tenant,
    clone,
    isRedacted,
    at,
  }: { readonly tenant: string; readonly clone: string; readonly isRedacted: boolean; readonly at: string },
): Promise<number> {
  if ((await digestTenant(to, clone)).count > 0) throw new Error(`The tenant ${clone} exists already.`);
  const names = new Map([[tenant, clone]]);
  const items: RawItem[] = [];
  await forEachItem(from, tenant, (page) => {
    for (const item of page) {
      const type = String(item.discriminator?.S);
      if (!clonedTypes.has(type) || (isRedacted && namedTypes.has(type))) continue;
      items.push(item);
      const user = type === "user" ? String(item.user_id?.S) : undefined;
      if (!isRedacted || user === undefined) continue;
      const renamed = `user-${sha256(`${clone} ${user}`).slice(0, 12)}`;
      names.set(user, renamed).set(PERSON_READER + user, PERSON_READER + renamed);
    }
  });
  await putCopies(
    to,
    items.map((item) => toClonedItem(item, names, isRedacted)),
    at,
  );
  return items.length;
}
