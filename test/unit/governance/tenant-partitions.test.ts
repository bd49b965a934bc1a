import { expect, it } from "vitest";
import { type ItemTypeName, itemTypeNames, itemTypes } from "#shared/dynamodb/item-types.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import type { Key } from "#shared/dynamodb/table.ts";
import { foundTypes } from "#shared/governance/tenant-deletion/tenant-partitions.ts";
import { toPartitionPattern } from "../../../infra/rights/source-reader.ts";

/** Types that expire by themselves and that no list names. */
const expiring: readonly ItemTypeName[] = [
  "completion",
  "completion-cancellation",
  "counted",
  "event-pause",
  "idempotency",
  "investigation-group",
  "key-rate",
  "openai-conversation",
  "openai-conversation-item",
  "openai-response",
  "rate",
];

/** Types that processors delete with the documents and messages that they are derived from. */
const derived: readonly ItemTypeName[] = ["indexed-message", "postings"];

it("deletion of a tenant finds each type of item, unless the item expires or a processor deletes it", () => {
  const patterns = foundTypes.map((type) => toPartitionPattern(keys[type]).split("#"));
  const isFound = ({ pk }: Key) => {
    const parts = pk.split("#");
    return patterns.some(
      (pattern) =>
        pattern.length === parts.length && pattern.every((part, index) => part === "*" || part === parts[index]),
    );
  };
  const missing = itemTypeNames.filter((name) =>
    Object.values(itemTypes[name].keys).some(
      (build) => !isFound((build as (...parts: string[]) => Key)("T", "a", "b", "c", "d")),
    ),
  );
  expect(missing.toSorted()).toEqual([...expiring, ...derived].toSorted());
});
