import { defineItem } from "../../define-item.ts";
import { userOwner } from "../../key-owner.ts";

export const memoryItem = defineItem({
  type: "memory",
  keys: {
    memory: (tenant: string, owner: string, memory: string) => ({ pk: `${tenant}#memories#${owner}`, sk: memory }),
  },
  index: {
    /** Memories about a user, a conversation, a persona or the tenant; `position` sorts active ones next to each other. */
    memoryBySubject: (tenant: string, scope: string, scopeId: string, position: string) => ({
      gsi1pk: `${tenant}#memories-of#${scope}#${scopeId}`,
      gsi1sk: position,
    }),
  },
  partitionOf: { tenant: "tenant", user: userOwner("") },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "memory", id: "id", values: ["scope", "category", "status"], redacted: ["text"] },
  erasedWith: "owner",
});
