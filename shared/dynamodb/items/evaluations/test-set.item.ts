import { defineItem } from "../../define-item.ts";

export const testSetItem = defineItem({
  type: "test-set",
  keys: {
    testSet: (tenant: string, set: string) => ({ pk: `${tenant}#test-sets`, sk: set }),
  },
  index: {
    /** Test sets of a persona, in creation order. */
    testSetOfPersona: (tenant: string, persona: string, set: string) => ({
      gsi1pk: `${tenant}#persona#${persona}#test-sets`,
      gsi1sk: set,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: { kind: "test_set", id: "id", values: ["persona_id"], redacted: ["name", "description"] },
  erasedWith: "parent",
});
