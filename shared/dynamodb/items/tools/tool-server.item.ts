import { defineItem } from "../../define-item.ts";

export const toolServerItem = defineItem({
  type: "tool-server",
  keys: {
    toolServer: (tenant: string, server: string) => ({ pk: `${tenant}#tool-servers`, sk: server }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "tool_server",
    id: "id",
    values: [
      "name",
      "url",
      "caller_context",
      "bind",
      "enabled",
      "allowed_tools",
      "mode",
      "tool_modes",
      "trusted_tools",
      "remember",
      "hashes",
    ],
    redacted: ["sealed_secret"],
  },
  erasedWith: "tenant",
});
