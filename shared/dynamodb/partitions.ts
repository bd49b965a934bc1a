import type { ItemPage } from "./define-item.ts";
import { itemPages } from "./item-pages.ts";
import type { Item, Key } from "./table.ts";

const pages: readonly ItemPage[] = itemPages;

/** Text that stands for an id in a partition key; no literal part has it. */
const ID = "X";

const partitionOf = ({ keys }: ItemPage, ...parts: readonly string[]): string => {
  const [build] = Object.values(keys) as ((...parts: string[]) => Key)[];
  return build?.(...parts, ...Array(4).fill("")).pk ?? "";
};

/** Parts of the partition key of each page after the tenant's id. */
const partsOf = new Map(pages.map((page) => [page, partitionOf(page, ID, ID, ID, ID, ID).split("#").slice(1)]));

const pagesWhere = (matches: (parts: readonly string[]) => boolean) =>
  pages.filter((page) => matches(partsOf.get(page) ?? []));

/** Pages whose partition key has no variable part but the tenant's id. Look-ups have no literal part after it. */
const pagesOfTenant = pagesWhere(([type, ...rest]) => type !== undefined && type !== ID && rest.length === 0);

/** Pages of which each user has a partition, besides that of the user's own item. */
const pagesOfUser = pagesWhere(([type, , name]) => type === "user" && name !== undefined);

/** Returns the partitions that pages declare for owners of a kind: for `tenant`, `user`, or an item type. */
const declaredPartitions = (kind: string, tenant: string, id: string): string[] =>
  pages.flatMap((page) =>
    [page.partitionOf?.[kind] ?? []].flat().map((prefix) => partitionOf(page, tenant, prefix + id)),
  );

/** Returns the keys of the partitions whose key depends only on the tenant. */
export const tenantPartitions = (tenant: string): string[] => [
  ...new Set(pagesOfTenant.map((page) => partitionOf(page, tenant))),
  ...declaredPartitions("tenant", tenant, ""),
];

/** Returns the keys of the partitions of a user, except that of the user's own item. */
export const userPartitions = (tenant: string, user: string): string[] => [
  ...new Set(pagesOfUser.map((page) => partitionOf(page, tenant, user))),
  ...declaredPartitions("user", tenant, user),
];

/** Returns the keys of the partitions that belong to an item. */
export const partitionsOfItem = (tenant: string, { discriminator, sk }: Item): string[] =>
  declaredPartitions(String(discriminator), tenant, sk.slice(sk.indexOf("#") + 1));

/** Patterns of the keys of all partitions that these functions return, in which `*` stands for ids. */
export const foundPartitionPatterns: readonly string[] = [
  ...new Set(
    pages
      .filter((page) => page.partitionOf || pagesOfTenant.includes(page) || pagesOfUser.includes(page))
      .map((page) => ["*", ...(partsOf.get(page) ?? [])].map((part) => (part === ID ? "*" : part)).join("#")),
  ),
];
