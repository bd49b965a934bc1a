import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { RunEvent } from "../runs/events.ts";
import type { Tool } from "./tools/tool.ts";
import type { Turn, TurnIncident } from "./turn.ts";

/** Text and tool calls of one model response. */
export interface ModelResponse {
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
}

export type CallModel = (
  turn: Turn,
  tools: readonly Tool[],
  canUseTools: boolean,
) => AsyncGenerator<RunEvent, ModelResponse>;

/**
 * Steps that replace search and answer in a turn that investigates an incident. They are attached at run time instead
 * of imported, so that the functions for other turns need no permissions for what the steps read.
 */
export interface InvestigationSteps {
  /** Replaces the search for sources. */
  readIncident(turn: Turn): AsyncGenerator<RunEvent, TurnIncident | null>;
  /** Replaces the answer of the model: sets `turn.answer.text` to the result of the investigation. */
  investigate(turn: Turn, tools: readonly Tool[], callModel: CallModel): AsyncGenerator<RunEvent, void>;
}

const attached = new WeakMap<Turn["run"], InvestigationSteps>();

export const attachInvestigation = ({ run }: Turn, steps: InvestigationSteps) => attached.set(run, steps);

/** Returns the attached steps, or undefined if the turn does not investigate an incident. */
export const findInvestigationSteps = ({ run }: Pick<Turn, "run">): InvestigationSteps | undefined => attached.get(run);
