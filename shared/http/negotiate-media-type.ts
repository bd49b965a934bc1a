import Negotiator from "negotiator";
import type { RequestHeaders } from "../lib/request-headers.ts";

/** Returns the offered media type that the client's `Accept` header prefers; the first one if it accepts none. */
export function negotiateMediaType<Type extends string>(
  headers: RequestHeaders,
  offered: readonly [Type, ...Type[]],
): Type {
  const preferred = new Negotiator({ headers: { ...headers } }).mediaType([...offered]);
  return offered.find((type) => type === preferred) ?? offered[0];
}
