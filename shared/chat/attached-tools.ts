import type { AttachedTools, Tool } from "./tools/tool.ts";
import type { Turn } from "./turn.ts";

const attached = new WeakMap<Turn["run"], AttachedTools>();

type ReplaceTools = (tools: readonly Tool[]) => Tool[];

const replacements = new WeakMap<Turn["run"], ReplaceTools>();

/** Makes a turn use what a function returns in place of its tools. */
export const replaceTools = ({ run }: Pick<Turn, "run">, replace: ReplaceTools) => replacements.set(run, replace);

/** Returns the function that replaces the tools of a turn; undefined for most turns. */
export const findToolReplacement = ({ run }: Pick<Turn, "run">): ReplaceTools | undefined => replacements.get(run);

/** Returns the tools that `attachTools` loaded for a turn, or undefined if its persona names no tool servers. */
export const findAttachedTools = ({ run }: Pick<Turn, "run">): AttachedTools | undefined => attached.get(run);

/**
 * Loads the tools of the servers that the persona of a turn names, or for a visitor the embed key. Without such servers and in
 * the tier `QUICK`, it does nothing, and the code for servers is not even imported.
 */
export async function attachTools(turn: Turn): Promise<void> {
  const { persona, principal, run } = turn;
  const names = principal.kind === "visitor" ? principal.toolServers : (persona?.tool_servers ?? []);
  if (names.length === 0 || run.tier === "QUICK") return;
  const { loadServerTools } = await import("./tools/server-tools.ts");
  attached.set(run, await loadServerTools(turn, names));
}
