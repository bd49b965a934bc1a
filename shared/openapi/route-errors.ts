import type * as v from "valibot";
import type { Route } from "../api/define-route.ts";
import { Cursor } from "../api/fields.ts";
import type { ProblemCode } from "../api/problem-codes.ts";

const hasCursor = ({ query }: Route) =>
  query !== undefined && "entries" in query && (query.entries as v.ObjectEntries).cursor === Cursor;

/** Error codes that all routes with a certain property share. */
const sharedErrors: readonly (readonly [(route: Route) => boolean, readonly ProblemCode[]])[] = [
  [(route) => route.auth !== "none", ["unauthorized"]],
  [(route) => Boolean(route.capability ?? route.scope), ["forbidden"]],
  [hasCursor, ["invalid_cursor"]],
  [(route) => Boolean(route.query), ["validation_failed"]],
  [(route) => Boolean(route.params), ["not_found"]],
  [
    (route) => Boolean(route.body),
    ["malformed_body", "invalid_structure", "validation_failed", "unsupported_media_type", "payload_too_large"],
  ],
  [(route) => route.idempotency !== "none", ["validation_failed", "idempotency_key_reused", "idempotency_in_progress"]],
  [(route) => route.idempotency === "required", ["idempotency_key_required"]],
  [() => true, ["rate_limited", "internal_error", "unavailable"]],
];

/** Returns all error codes of a route: its own and the shared ones. */
export function routeErrors(route: Route): ProblemCode[] {
  const shared = sharedErrors.flatMap(([applies, codes]) => (applies(route) ? codes : []));
  return [...new Set([...route.errors, ...shared])];
}
