import type { Tier } from "../../api/tiers.ts";
import { type ToolName, toolNames, webToolNames } from "../../api/tools.ts";
import { canSearchWeb } from "../../knowledge/web/search-web.ts";

/**
 * Returns the built-in tools that a persona can use in a tier: none in QUICK, only web tools and named questions to the user in
 * THINKING and RESEARCH. Web tools also need a configured search provider.
 * @param named tools that the persona names. An empty list stands for all tools except those of the web
 */
export function allowedTools(tier: Tier, named: readonly ToolName[]): readonly ToolName[] {
  if (tier === "QUICK") return [];
  const names = named.length > 0 ? named : toolNames.filter((name) => !webToolNames.has(name));
  const isUsable = (name: ToolName) => tier === "THOUGHT_PARTNER" || (name === "ask_user" && named.includes(name));
  return names.filter((name) => (webToolNames.has(name) ? canSearchWeb() : isUsable(name)));
}
