import type { Tier } from "../../api/tiers.ts";
import { findSetting } from "../../lib/env.ts";

/** Rounds of tool calls per answer without the setting `TOOL_ROUNDS`. */
const DEFAULT_TOOL_ROUNDS = 5;

/** Returns the maximum number of rounds of tool calls per answer. */
export const toolRounds = (tier: Tier): number =>
  tier === "THINKING" ? 1 : Number(findSetting("TOOL_ROUNDS") || DEFAULT_TOOL_ROUNDS);
