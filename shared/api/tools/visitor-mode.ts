import type { ToolServer } from "./tool-server.ts";

/**
 * Returns how a tool runs for the visitors of a website: `auto` without a question, regardless of what the model has read; `confirm` after
 * the visitor has agreed, always or after the model has read text of others. Null if visitors cannot have it: a person of the
 * organization approves its calls, or each user signs in to its server.
 */
export function visitorMode(
  { tool_modes, mode, trusted_tools, auth }: Pick<ToolServer, "tool_modes" | "mode" | "trusted_tools" | "auth">,
  tool: string,
): "auto" | "confirm" | null {
  const own = tool_modes[tool] ?? mode;
  if (own === "approve" || auth.type === "oauth_user") return null;
  return own === "auto" && trusted_tools.includes(tool) ? "auto" : "confirm";
}
