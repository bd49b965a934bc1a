import type { ToolServer } from "./tool-server.ts";

/**
 * Returns true if calls of a tool need no consent, regardless of what the model has read: an administrator declares the tool
 * harmless and wants no questions, and the server needs no sign-in of each user.
 */
export const isUnattended = (
  { tool_modes, mode, trusted_tools, auth }: Pick<ToolServer, "tool_modes" | "mode" | "trusted_tools" | "auth">,
  tool: string,
): boolean => (tool_modes[tool] ?? mode) === "auto" && trusted_tools.includes(tool) && auth.type !== "oauth_user";
