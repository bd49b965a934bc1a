import { defineItem } from "../../define-item.ts";

export const runningInvestigationsItem = defineItem({
  type: "running-investigations",
  keys: {
    /** Ids of a tenant's running investigations, in one item. */
    runningInvestigations: (tenant: string) => ({
      pk: `${tenant}#running-investigations`,
      sk: "running-investigations",
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
