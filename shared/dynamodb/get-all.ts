import type { Item, Key, Table } from "./table.ts";

/** Keys that one batch read takes. */
const batch = 100;

/** Those of the items that exist, in no particular order, however many are asked for. */
export async function getAll(table: Table, keys: readonly Key[], options?: { consistent?: boolean }): Promise<Item[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / batch) }, (_, index) =>
    table.getMany(keys.slice(index * batch, (index + 1) * batch), options),
  );
  return (await Promise.all(batches)).flat();
}
