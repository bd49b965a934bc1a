import Negotiator from "negotiator";
import type { RequestHeaders } from "../lib/request-headers.ts";

/** The one of these media types that the client would rather have; the first where it has no preference. */
export function negotiateMediaType<Type extends string>(
  headers: RequestHeaders,
  types: readonly [Type, ...Type[]],
): Type {
  const preferred = new Negotiator({ headers: { ...headers } }).mediaType([...types]);
  return types.find((type) => type === preferred) ?? types[0];
}
