import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { RunEvent } from "../runs/events.ts";
import type { Tool } from "./tools/tool.ts";
import type { Turn } from "./turn.ts";

/** Response of one model call. */
export interface Completion {
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
}

/** Calls the model once. */
export type CallModel = (
  turn: Turn,
  tools: readonly Tool[],
  canUseTools: boolean,
) => AsyncGenerator<RunEvent, Completion>;

/** Steps of a turn that investigates, in the place of those that answer a question. Other functions have no access to what they read. */
export interface InvestigationSteps {
  /** Reads the incident, in the place of the search for sources. */
  readIncident(turn: Turn): AsyncGenerator<RunEvent, void>;
  /** Finds the cause, in the place of the answer. */
  investigate(turn: Turn, tools: readonly Tool[], callModel: CallModel): AsyncGenerator<RunEvent, void>;
}

const attached = new WeakMap<Turn["run"], InvestigationSteps>();

/** Lets a turn investigate. */
export const attachInvestigation = ({ run }: Turn, steps: InvestigationSteps) => attached.set(run, steps);

/** Returns the steps of a turn that investigates; undefined for others. */
export const findInvestigationSteps = ({ run }: Pick<Turn, "run">): InvestigationSteps | undefined => attached.get(run);
