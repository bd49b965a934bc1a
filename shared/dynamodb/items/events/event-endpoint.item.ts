import { defineItem } from "../../define-item.ts";

export const eventEndpointItem = defineItem({
  type: "event-endpoint",
  keys: {
    eventEndpoint: (tenant: string, endpoint: string) => ({ pk: `${tenant}#event-endpoints`, sk: endpoint }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "event_endpoint",
    id: "id",
    values: [
      "url",
      "types",
      "format",
      "include_content",
      "description",
      "enabled",
      "disabled_reason",
      "secret_version",
    ],
    redacted: ["sealed_secret", "previous_sealed_secret", "sealed_headers"],
  },
  erasedWith: "tenant",
});
