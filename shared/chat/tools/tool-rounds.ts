import type { Tier } from "../../api/tiers.ts";
import { findSetting, settings } from "../../lib/env.ts";

/**
 * Returns the maximum number of rounds of tool calls per answer: one in THINKING, the setting `TOOL_ROUNDS` in higher
 * tiers.
 */
export const toolRounds = (tier: Tier): number =>
  tier === "THINKING" ? 1 : Number(findSetting("TOOL_ROUNDS") || settings.tools.TOOL_ROUNDS);
