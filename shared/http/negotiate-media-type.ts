import Negotiator from "negotiator";
import type { RequestHeaders } from "../lib/request-headers.ts";

/** Returns the media type that the client prefers among those offered, or the first one if none is acceptable. */
export function negotiateMediaType<Type extends string>(
  headers: RequestHeaders,
  offered: readonly [Type, ...Type[]],
): Type {
  const preferred = new Negotiator({ headers: { ...headers } }).mediaType([...offered]);
  return offered.find((type) => type === preferred) ?? offered[0];
}
