import { defineItem } from "../../define-item.ts";

export const scimNameItem = defineItem({
  type: "scim-name",
  keys: {
    /** Reservation that makes a SCIM user name or external id unique; it contains the id of the user. */
    scimName: (tenant: string, kind: "user-name" | "external-id", name: string) => ({
      pk: `${tenant}#scim-names`,
      sk: `${kind}#${name}`,
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "tenant",
});
