import { expect, it } from "vitest";
import { itemTypeNames, itemTypes } from "#shared/dynamodb/item-types.ts";
import { erasableResources } from "#shared/governance/erasure/erasure.ts";

it("erasure of a user's data erases each type of item whose page says that users own it, and no other one", () => {
  const owned = itemTypeNames.filter((name) => itemTypes[name].erasedWith === "owner");
  const kinds = new Set<string>(erasableResources.map(({ kind }) => kind.replaceAll("_", "-")));
  expect([...kinds].toSorted()).toEqual(owned.toSorted());
});
