import * as v from "valibot";
import { describe, lineOf } from "../fields.ts";

/** Headers that the protocol or the connection sets. */
const reservedHeaders =
  /^(?:accept.*|connection|content-.*|cookie|host|last-event-id|mcp-.*|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Authentication of requests to a tool server, as an administrator enters it. */
export const AuthInput = v.variant("type", [
  v.strictObject({ type: v.literal("none") }),
  v.strictObject({
    type: v.literal("header"),
    header: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header"),
        v.check((name) => !reservedHeaders.test(name), "is set by the service"),
        v.toLowerCase(),
      ),
      "authorization",
    ),
    secret: describe(
      v.pipe(
        v.string(),
        v.minLength(1, "must not be empty"),
        v.maxLength(4_096, "must have at most 4,096 characters"),
        v.regex(/^[\x20-\x7e]+$/, "must be printable ASCII"),
      ),
      "The value of the header, such as `Bearer <token>`. It is stored encrypted and never returned.",
    ),
  }),
  ...(["oauth_user", "oauth_tenant"] as const).map((type) =>
    v.strictObject({
      type: v.literal(type),
      client_id: describe(
        v.optional(lineOf(500)),
        "A client that is registered at the authorization server. By default, the service registers one.",
      ),
      client_secret: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(4_096))),
      scope: describe(v.optional(lineOf(1_000)), "The scopes to request. By default, those that the server names."),
    }),
  ),
]);
