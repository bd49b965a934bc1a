import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../lib/parse-json.ts";
import type { Tool, ToolOutcome } from "../tools/tool.ts";
import type { Trial } from "./trial-input.ts";

/** Call of a tool in a trial. */
export interface TrialCall {
  readonly tool: string;
  readonly input: unknown;
}

const failed = (result: string): ToolOutcome => ({ result, isFailed: true });

const unrecorded = failed("No result of this call was recorded for this test.");
const withEffect = failed("Tools that change something or need a consent are not called in tests.");

/** Built-in tools that read nothing from outside of the service. */
const localTools: ReadonlySet<string> = new Set(["calculate", "current_time"]);

/**
 * Returns a function that replaces the tools of a turn: calls get recorded results, or are executed if they only read. None
 * waits for a consent.
 * @param calls gets the calls
 */
export function trialTools({ context, hasRecordedTools }: Trial, calls: TrialCall[]) {
  const recorded = [...context.tool_results];
  const takeRecorded = (tool: string, input: unknown): ToolOutcome | undefined => {
    const isSame = (entry: (typeof recorded)[number]) => isDeepStrictEqual(parseJson(entry.input), input);
    const ofTool = recorded.filter((entry) => entry.tool === tool);
    const entry = ofTool.find(isSame) ?? ofTool[0];
    if (!entry) return undefined;
    recorded.splice(recorded.indexOf(entry), 1);
    return { result: entry.result };
  };
  return (tools: readonly Tool[]): Tool[] =>
    tools.map((tool): Tool => {
      const { needsSignIn, startSignIn: _, hasUnresolvedCall: __, ...others } = tool;
      return {
        ...others,
        mode: "auto",
        isInternal: true,
        async run(turn, input, ...rest) {
          calls.push({ tool: tool.name, input });
          const hasEffect = tool.hasEffectOf?.(turn, input) ?? tool.hasEffect;
          if (hasRecordedTools && !localTools.has(tool.name)) return takeRecorded(tool.name, input) ?? unrecorded;
          if (hasEffect || tool.mode !== "auto" || needsSignIn?.()) return withEffect;
          return tool.run(turn, input, ...rest);
        },
      };
    });
}
