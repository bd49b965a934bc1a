import type { JSONValue } from "@ai-sdk/provider";
import { toJsonSchema } from "@valibot/to-json-schema";
import { FindingsReport } from "../../investigations/findings.ts";
import { REPORT_TOOL } from "../context/investigation-instructions.ts";
import type { Tool } from "../tools/tool.ts";
import { getRecorder } from "./recorder.ts";

const description =
  "Reports what the investigation found: hypotheses with evidence from observations, and next steps. The result tells which claims were discarded, and why.";

/** Tool that the model calls to report hypotheses. Rules then judge which claims the observations support. */
export const reportFindings: Tool = {
  name: REPORT_TOOL,
  title: "Reporting the findings",
  definition: {
    type: "function",
    name: REPORT_TOOL,
    description,
    inputSchema: toJsonSchema(FindingsReport, {
      errorMode: "ignore",
      typeMode: "input",
    }) as Tool["definition"]["inputSchema"],
  },
  input: FindingsReport,
  hasEffect: false,
  mode: "auto",
  isParallel: false,
  isInternal: true,
  async run(turn, input) {
    const { verdict, cause, hypotheses, discarded } = await getRecorder(turn).report(input as FindingsReport);
    return { result: { verdict, cause, kept: hypotheses.length, discarded } };
  },
};

/** Wraps a tool so that each result is stored as an observation and the model gets its id. */
const toRecordedTool = (tool: Tool): Tool => ({
  ...tool,
  // Investigations of one conversation run at the same time, so that a call without a result can be that of another one. A tool
  // without an effect can be called again.
  ...(!tool.hasEffect && { hasUnresolvedCall: () => false }),
  async run(turn, input, hasReadUntrusted, onProgress) {
    const call = { tool: tool.name, title: tool.title, input };
    const { observation, result, ...outcome } = await getRecorder(turn).call(call, () =>
      tool.run(turn, input, hasReadUntrusted, onProgress),
    );
    const text = typeof result === "string" ? result : JSON.stringify(result as JSONValue);
    return { ...outcome, result: `observation ${observation}\n${text}` };
  },
});

/**
 * Returns the tools of an investigation: the built-in tools without effects, all tools of MCP servers, and the tool for
 * the report. A call with an effect requires approval, because alerts are untrusted text.
 */
export const toInvestigationTools = (tools: readonly Tool[]): Tool[] => [
  ...tools.filter(({ hasEffect, pinned }) => pinned || !hasEffect).map(toRecordedTool),
  reportFindings,
];
