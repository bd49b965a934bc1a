import type { FindingsReport } from "../../investigations/findings.ts";
import { type Judgement, judge } from "../../investigations/judge.ts";
import { hashInput, type RecordedObservation } from "../../investigations/record-store.ts";
import { RunEnded } from "../../runs/run-controller.ts";
import type { ToolOutcome } from "../tools/tool.ts";
import type { Turn } from "../turn.ts";
import { type ObservedOutcome, type Progress, type RecordedCall, type Recorder, usedTokens } from "./recorder.ts";

const callEvent = (tool: string, inputHash: string) => `call ${tool} ${inputHash}`;

const reportEvent = ({ verdict, hypotheses, discarded }: Judgement) =>
  `report ${verdict}, ${hypotheses.length} kept, ${discarded.length} discarded`;

/**
 * Returns the tool calls and the report of an investigation as strings that compare equal if the replay repeats them.
 */
export function toEventSequence(observations: readonly RecordedObservation[], report: FindingsReport | null): string[] {
  const calls = observations.flatMap(({ tool, input_hash }) =>
    tool && input_hash ? [callEvent(tool, input_hash)] : [],
  );
  return [...calls, ...(report ? [reportEvent(judge(report, observations))] : [])];
}

/**
 * Recorder that returns recorded results. Aborts the turn at the first call without a recorded result, and names it in
 * `missing`.
 */
export class ReplayRecorder implements Recorder {
  readonly isReplay = true;
  hasReported = false;
  /** First call without a recorded result, truncated to 500 characters; null if there was none. */
  missing: string | null = null;
  judgement: Judgement | null = null;
  readonly events: string[] = [];
  readonly #observations: readonly RecordedObservation[];
  readonly #remaining: RecordedObservation[];
  readonly #controller: AbortController;

  constructor(observations: readonly RecordedObservation[], controller: AbortController) {
    this.#observations = observations;
    this.#remaining = observations.filter(({ kind }) => kind === "tool");
    this.#controller = controller;
  }

  async call({ tool, input }: RecordedCall, _run: () => Promise<ToolOutcome>): Promise<ObservedOutcome> {
    const hash = hashInput(input);
    this.events.push(callEvent(tool, hash));
    const isRecording = (entry: RecordedObservation) => entry.tool === tool && entry.input_hash === hash;
    const index = this.#remaining.findIndex(isRecording);
    const recorded = this.#remaining[index] ?? this.#observations.findLast(isRecording);
    if (index !== -1) this.#remaining.splice(index, 1);
    if (!recorded) {
      this.missing ??= `${tool} ${JSON.stringify(input)}`.slice(0, 500);
      this.#controller.abort(new RunEnded("stopped"));
      throw new RunEnded("stopped");
    }
    return { result: recorded.text, isFailed: recorded.is_failed, observation: recorded.id };
  }

  async report(report: FindingsReport): Promise<Judgement> {
    this.hasReported = true;
    this.judgement = judge(report, this.#observations);
    this.events.push(reportEvent(this.judgement));
    return this.judgement;
  }

  async progress(turn: Turn): Promise<Progress> {
    return usedTokens(turn) >= (turn.incident?.investigation?.maxTokens ?? 0) ? "exhausted" : "investigating";
  }
}
