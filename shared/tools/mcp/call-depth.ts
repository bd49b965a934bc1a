import { ServiceError } from "../../lib/errors.ts";

/** Field of `_meta` with the number of calls from a persona to a persona of this or another deployment that led to a call. */
const DEPTH_KEY = "dev.switchboard/depth";

/** Maximum depth: a persona whose tools reach `/mcp` could otherwise ask itself without end. */
export const MAX_CALL_DEPTH = 3;

/** Returns the field of `_meta` for calls of a run. */
export const depthMeta = (depth: number): Readonly<Record<string, number>> => ({ [DEPTH_KEY]: depth + 1 });

/**
 * Returns the depth of a call.
 * @throws ServiceError `forbidden` if it is too deep
 */
export function requireDepth(meta: Readonly<Record<string, unknown>>): number {
  const depth = Number(meta[DEPTH_KEY] ?? 0);
  if (Number.isInteger(depth) && depth >= 0 && depth < MAX_CALL_DEPTH) return depth;
  throw new ServiceError("forbidden", `Personas ask one another at most ${MAX_CALL_DEPTH} deep.`);
}
