import Negotiator from "negotiator";
import type { Headers } from "./http-request.ts";

/** The one of these media types that the client would rather have; the first where it has no preference. */
export function preferredType<Type extends string>(headers: Headers, types: readonly [Type, ...Type[]]): Type {
  const preferred = new Negotiator({ headers: { ...headers } }).mediaType([...types]);
  return types.find((type) => type === preferred) ?? types[0];
}
