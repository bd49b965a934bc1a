import { defineItem } from "../../define-item.ts";

const prefix = "part#";

export const idempotencyItem = defineItem({
  type: "idempotency",
  keys: {
    /** Response to a request with an `Idempotency-Key`; `request` is a hash of caller, operation and key. */
    idempotency: (tenant: string, request: string) => ({ pk: `${tenant}#idempotency#${request}`, sk: "idempotency" }),
    /** Continuation of a stored response that exceeds one item. */
    idempotencyPart: (tenant: string, request: string, part: number) => ({
      pk: `${tenant}#idempotency#${request}`,
      sk: `${prefix}${String(part).padStart(3, "0")}`,
    }),
  },
  prefixes: { idempotencyPart: prefix },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
