import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { RunEvent } from "../runs/events.ts";
import type { Tool } from "./tools/tool.ts";
import type { Turn } from "./turn.ts";

/** Response of one model call. */
export interface Completion {
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
}

export type CallModel = (
  turn: Turn,
  tools: readonly Tool[],
  canUseTools: boolean,
) => AsyncGenerator<RunEvent, Completion>;

/**
 * Steps of a turn that investigates, instead of those that answer a question. They are attached, so that the functions of
 * other turns need no access to what the steps read.
 */
export interface InvestigationSteps {
  /** Reads the incident, in the place of the search for sources. */
  readIncident(turn: Turn): AsyncGenerator<RunEvent, void>;
  /** Finds the cause, in the place of the answer. */
  investigate(turn: Turn, tools: readonly Tool[], callModel: CallModel): AsyncGenerator<RunEvent, void>;
}

const attached = new WeakMap<Turn["run"], InvestigationSteps>();

export const attachInvestigation = ({ run }: Turn, steps: InvestigationSteps) => attached.set(run, steps);

/** Returns the steps of a turn that investigates; undefined for others. */
export const findInvestigationSteps = ({ run }: Pick<Turn, "run">): InvestigationSteps | undefined => attached.get(run);
