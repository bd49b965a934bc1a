import { ServiceError } from "../../lib/errors.ts";

/** Field of `_meta` with the number of calls between personas, of this or another deployment, that led to a call. */
const DEPTH_KEY = "dev.switchboard/depth";

/**
 * Maximum depth of calls between personas. Without it, a persona whose tools reach `/mcp` could call itself endlessly.
 */
const MAX_CALL_DEPTH = 3;

/**
 * Returns the `_meta` field for tool calls of a run.
 * @param depth depth of the call that started the run; 0 for a chat
 */
export const depthMeta = (depth: number): Readonly<Record<string, number>> => ({ [DEPTH_KEY]: depth + 1 });

/**
 * Returns the depth of a call from its `_meta`; 0 without the field.
 * @throws ServiceError `forbidden` if the depth reaches `MAX_CALL_DEPTH`
 */
export function requireDepth(meta: Readonly<Record<string, unknown>>): number {
  const depth = Number(meta[DEPTH_KEY] ?? 0);
  if (Number.isInteger(depth) && depth >= 0 && depth < MAX_CALL_DEPTH) return depth;
  throw new ServiceError("forbidden", `Personas ask one another at most ${MAX_CALL_DEPTH} deep.`);
}
