import { expect, it } from "vitest";
import { itemTypeNames, itemTypes } from "#shared/dynamodb/item-types.ts";
import {
  foundPartitionPatterns,
  partitionsOfItem,
  tenantPartitions,
  userPartitions,
} from "#shared/dynamodb/partitions.ts";
import { toPartitionPattern } from "../../../infra/rights/source-reader.ts";

/** Types that the deletion of a tenant does not find in a partition, by the reason. */
const others: Readonly<Record<string, readonly string[]>> = {
  expires: [
    "completion",
    "completion-cancellation",
    "counted",
    "idempotency",
    "investigation-group",
    "key-rate",
    "openai-conversation",
    "openai-conversation-item",
    "openai-response",
    "rate",
  ],
  "belongs to the search index": ["passage", "vector-codes"],
  "deleted by a processor": ["collection-name", "indexed-message", "postings"],
};

/** Partitions that the index lists: those of collections, conversations and users. */
const listedPartitions = ["*#collection#*", "*#conversation#*", "*#user#*"];

it("deletion of a tenant finds each type of item, unless the item expires, is listed or is derived from others", () => {
  const found = (name: (typeof itemTypeNames)[number]) =>
    Object.values(itemTypes[name].keys)
      .map(toPartitionPattern)
      .every((pattern) => [...foundPartitionPatterns, ...listedPartitions].includes(pattern));
  const isLookup = (name: (typeof itemTypeNames)[number]) =>
    Object.values(itemTypes[name].keys).every((build) => toPartitionPattern(build).startsWith("~"));
  const missing = itemTypeNames.filter((name) => !found(name) && !isLookup(name));
  expect(missing.toSorted()).toEqual(Object.values(others).flat().toSorted());
});

it("partitions of a tenant, a user and an item follow from the pages of items", () => {
  expect(tenantPartitions("T")).toEqual(
    expect.arrayContaining(["T#policy", "T#groups", "T#usage#0", "T#usage#3", "T#memories#tenant"]),
  );
  expect(tenantPartitions("T").filter((pk) => !/^T#[a-z-]+(#(\d|tenant))?$/.test(pk))).toEqual([]);
  expect(userPartitions("T", "U").toSorted()).toEqual([
    "T#budget-ledger#user#U",
    "T#memories#user#U",
    "T#notes#U",
    "T#user#U#approvals",
    "T#user#U#exports",
    "T#user#U#folders",
    "T#user#U#pending-export",
    "T#user#U#slack-installations",
    "T#user#U#tool-consents",
    "T#user#U#tool-sign-ins",
  ]);
  const of = (discriminator: string, sk: string) => partitionsOfItem("T", { discriminator, pk: "", sk }).toSorted();
  expect(of("message", "message#M")).toEqual(["T#run#M"]);
  expect(of("webhook", "W")).toEqual(["T#investigation-budget#W", "T#webhook#W"]);
  expect(of("group", "group#G")).toEqual(["T#budget-ledger#group#G", "T#index#group#G"]);
  expect(of("teams-workspace", "S")).toEqual(of("slack-workspace", "S"));
  expect(of("slack-workspace", "S")).toHaveLength(4);
  expect(of("note", "N")).toEqual([]);
});
