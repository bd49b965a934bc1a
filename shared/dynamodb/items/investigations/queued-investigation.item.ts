import { defineItem } from "../../define-item.ts";

export const queuedInvestigationItem = defineItem({
  type: "queued-investigation",
  keys: {
    /**
     * Investigation that waits until fewer are running; `position` consists of severity and id, so that the oldest critical one
     * is first.
     */
    queuedInvestigation: (tenant: string, position: string) => ({ pk: `${tenant}#investigation-queue`, sk: position }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "parent",
});
