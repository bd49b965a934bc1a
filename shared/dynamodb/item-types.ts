import type { ItemPage } from "./define-item.ts";
import { itemPages } from "./item-pages.ts";
import type { Key } from "./table.ts";

/** Name of an item type, the value of the `discriminator` attribute. */
export type ItemTypeName = (typeof itemPages)[number]["type"];

/** Pages of item types by their names. */
export const itemTypes = Object.fromEntries(itemPages.map((page) => [page.type, page])) as unknown as Readonly<
  Record<ItemTypeName, ItemPage>
>;

export const itemTypeNames: readonly ItemTypeName[] = itemPages.map(({ type }) => type);

/**
 * Returns the literal parts of a partition key, without ids: `conversation`, `user/folders`. They determine which item types
 * the partition can hold.
 */
function toPartitionType(pk: string): string {
  const [tenant = "", type = "", , collection] = pk.split("#", 4);
  if (tenant.startsWith("~")) return tenant;
  return type === "user" && collection !== undefined ? `${type}/${collection}` : type;
}

/** Returns the literal start of a sort key, such as `message` in `message#<id>`; empty if it starts with an id. */
const toSortType = (sk: string) => /^[a-z-]+(?=#|$)/.exec(sk)?.[0] ?? "";

const typesByPattern = new Map<string, ItemTypeName>();
for (const name of itemTypeNames.toReversed()) {
  for (const toKey of Object.values(itemTypes[name].keys)) {
    // Placeholders in upper case are not mistaken for literal parts.
    const { pk, sk } = (toKey as (...parts: unknown[]) => Key)("X", "X", "X", "X");
    typesByPattern.set(`${toPartitionType(pk)} ${toSortType(sk)}`, name);
  }
}

/** Returns the item type that a key belongs to, or undefined for a key that no builder creates. */
export function findItemType({ pk, sk }: Key): ItemTypeName | undefined {
  const partition = toPartitionType(pk);
  return typesByPattern.get(`${partition} ${toSortType(sk)}`) ?? typesByPattern.get(`${partition} `);
}
