import type { Item, Key, ReadOptions, Table } from "./table.ts";
import { MAX_BATCH_GET_KEYS } from "./table-layout.ts";

/** Returns the items that exist among the given keys, in no particular order. The number of keys is not limited. */
export async function batchGetAll(table: Table, keys: readonly Key[], options?: ReadOptions): Promise<Item[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / MAX_BATCH_GET_KEYS) }, (_, index) =>
    table.getMany(keys.slice(index * MAX_BATCH_GET_KEYS, (index + 1) * MAX_BATCH_GET_KEYS), options),
  );
  return (await Promise.all(batches)).flat();
}
