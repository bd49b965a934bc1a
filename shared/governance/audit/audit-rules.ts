import type { AuditRule, ChangeKind } from "../../dynamodb/audit-rule.ts";
import { itemTypeNames, itemTypes } from "../../dynamodb/item-types.ts";

/** Audit rules by item type, without the types whose changes are not recorded. */
export const auditRules: ReadonlyMap<string, AuditRule> = new Map(
  itemTypeNames.flatMap((name) => {
    const { audit } = itemTypes[name];
    return audit ? [[name, audit] as const] : [];
  }),
);

const allChanges: readonly ChangeKind[] = ["created", "updated", "deleted"];

/** Types of changes with an audit rule: `<item type>-created`, `-updated` or `-deleted`. */
export const auditedChangeTypes: readonly string[] = [...auditRules].flatMap(([itemType, { only = allChanges }]) =>
  only.map((change) => `${itemType}-${change}`),
);
