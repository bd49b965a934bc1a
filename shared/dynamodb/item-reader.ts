import * as v from "valibot";
import type { Item } from "./table.ts";

/**
 * Returns a function that reads a stored item as an entity: it validates the attributes that the schema names and drops
 * all others, such as `pk`, `sk`, index keys, `discriminator`, `timestamp`, `ttl` and `changed_by`.
 * The returned function throws an Error that names the item's key and the invalid attributes, never their values.
 */
export function itemReader<const Schema extends v.GenericSchema>(
  schema: Schema,
): (item: Readonly<Record<string, unknown>>) => v.InferOutput<Schema> {
  return (item) => {
    const result = v.safeParse(schema, item);
    if (result.success) return result.output;
    const paths = result.issues.map((issue) => v.getDotPath(issue) ?? "item");
    const { pk, sk } = item as Partial<Item>;
    throw new Error(`Stored item ${pk} / ${sk} is invalid: ${[...new Set(paths)].join(", ")}`);
  };
}

/**
 * Schema that checks only that a stored attribute exists. For attributes that were validated when written and are too large
 * to validate at every read, such as the blocks of a message.
 */
export const trusted = <Value>() => v.custom<Value>((value) => value !== undefined);
