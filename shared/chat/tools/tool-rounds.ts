import type { Tier } from "../../api/tiers.ts";
import { findSetting } from "../../lib/env.ts";

/** Default of the setting `TOOL_ROUNDS`. */
const DEFAULT_TOOL_ROUNDS = 5;

/**
 * Returns the maximum number of rounds of tool calls per answer: one in THINKING, the setting `TOOL_ROUNDS` in higher
 * tiers.
 */
export const toolRounds = (tier: Tier): number =>
  tier === "THINKING" ? 1 : Number(findSetting("TOOL_ROUNDS") || DEFAULT_TOOL_ROUNDS);
