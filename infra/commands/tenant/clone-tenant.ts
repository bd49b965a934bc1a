import { sha256 } from "../../../shared/lib/hash.ts";
import { type CellTable, digestTenant, forEachItem, putCopies, type RawItem, type RawValue } from "./tenant-items.ts";

/**
 * Types of items that a clone has. Keys, tokens, channels, endpoints and look-ups stay out, because a secret must not work twice; so
 * does what is derived, such as search indexes, usage and the audit trail.
 */
const clonedTypes: ReadonlySet<string> = new Set([
  ...["tenant", "user", "policy", "role", "group", "group-name", "membership", "persona", "template"],
  ...["conversation", "message", "summary", "folder", "folder-name", "folder-entry", "feedback", "listed-feedback"],
  ...["grant", "collection", "collection-name", "document", "document-source", "memory", "note"],
]);

/** Types whose keys contain names. A redacted clone has none. */
const namedTypes: ReadonlySet<string> = new Set(["group-name", "folder-name", "collection-name"]);

/** Attributes whose values are ids, states, times or keys and stay readable in a redacted clone. */
const structural =
  /^(?:pk|sk|gsi1pk|gsi1sk|id|discriminator|slug|status|state|role|roles|type|tier|kind|visibility|permission|permissions|access|scope|rating|format|level|language|model|plan|capabilities|tools|sha256|hash|media_type|cursor|.*_(?:id|ids|at|by|origin|type|status|until))$/;

/** Renames ids of the tenant and of its people in a text, where they are a whole part of a key. */
const rename = (text: string, names: ReadonlyMap<string, string>) =>
  text
    .split("#")
    .map((part) => names.get(part) ?? part)
    .join("#");

/** Replaces letters and digits and keeps length and form, so that a clone behaves like the original. */
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

/** Returns an item of a tenant as the item of a clone. */
export const toClonedItem = (item: RawItem, names: ReadonlyMap<string, string>, isRedacted: boolean): RawItem =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, convert(name, value, names, isRedacted)]),
  ) as RawItem;

/**
 * Copies the people, settings, conversations and knowledge of a tenant to a new tenant.
 * @param isRedacted replaces texts and the ids of people
 * @returns number of items
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
      if (isRedacted && user !== undefined) names.set(user, `user-${sha256(`${clone} ${user}`).slice(0, 12)}`);
    }
  });
  await putCopies(
    to,
    items.map((item) => toClonedItem(item, names, isRedacted)),
    at,
  );
  return items.length;
}
