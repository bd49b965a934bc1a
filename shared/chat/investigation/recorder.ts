import type { FindingsReport } from "../../investigations/findings.ts";
import { findInvestigation } from "../../investigations/investigation-store.ts";
import { type Judgement, judge } from "../../investigations/judge.ts";
import {
  hashInput,
  MAX_OBSERVATION_CHARACTERS,
  type RecordedObservation,
  readRecords,
  recordObservation,
  recordReport,
} from "../../investigations/record-store.ts";
import { timestamp } from "../../lib/clock.ts";
import { truncate } from "../../lib/truncate.ts";
import type { ToolOutcome } from "../tools/tool.ts";
import type { Turn } from "../turn.ts";

interface RecordedCall {
  readonly tool: string;
  readonly title: string;
  readonly input: unknown;
}

/** Result of a tool call, with the id of the observation under which it was stored. */
interface ObservedOutcome extends ToolOutcome {
  readonly observation: string;
}

/**
 * State that is read before each model call: `resolved` if the monitoring tool reports the end of the incident,
 * `exhausted` if the token budget is used up.
 */
type Progress = "investigating" | "resolved" | "exhausted";

const MAX_INPUT_CHARACTERS = 1_000;

const toText = (result: unknown) => (typeof result === "string" ? result : (JSON.stringify(result) ?? ""));

const usedTokens = ({ record: { usage } }: Turn): number =>
  (usage?.inputTokens.total ?? 0) + (usage?.outputTokens.total ?? 0);

/** Stores tool results and the report of an investigation, each before the model gets it, so that claims refer to stored observations only. */
class Recorder {
  readonly #turn: Pick<Turn, "principal" | "run" | "conversation">;
  readonly #id: string;
  #count: Promise<number> | undefined;
  hasReported = false;

  constructor(turn: Turn, id: string) {
    this.#turn = turn;
    this.#id = id;
  }

  /**
   * Returns the number of the next tool result. Starts from the stored observations, because the function may continue
   * a paused run.
   */
  async #next(): Promise<number> {
    this.#count ??= readRecords(this.#turn.principal, this.#id).then(
      ({ observations }) => observations.filter(({ kind }) => kind === "tool").length,
    );
    const next = this.#count.then((count) => count + 1);
    this.#count = next;
    return next;
  }

  async call({ tool, title, input }: RecordedCall, run: () => Promise<ToolOutcome>): Promise<ObservedOutcome> {
    const outcome = await run();
    const observation: RecordedObservation = {
      id: `t${await this.#next()}`,
      kind: "tool",
      title,
      at: timestamp(),
      ref: null,
      excerpt: "",
      text: truncate(toText(outcome.result), MAX_OBSERVATION_CHARACTERS),
      tool,
      input_hash: hashInput(input),
      input: truncate(JSON.stringify(input), MAX_INPUT_CHARACTERS),
      is_failed: outcome.isFailed === true,
    };
    await recordObservation(this.#turn.principal, this.#id, observation);
    return { ...outcome, observation: observation.id };
  }

  async report(report: FindingsReport): Promise<Judgement> {
    const { principal } = this.#turn;
    await recordReport(principal, this.#id, report, timestamp());
    this.hasReported = true;
    return judge(report, (await readRecords(principal, this.#id)).observations);
  }

  async progress(turn: Turn): Promise<Progress> {
    if (usedTokens(turn) >= (turn.incident?.investigation?.maxTokens ?? 0)) return "exhausted";
    const stored = await findInvestigation(turn.principal, { id: this.#id, conversation_id: turn.conversation.id });
    return stored?.state === "resolved" ? "resolved" : "investigating";
  }
}

const recorders = new WeakMap<Turn["run"], Recorder>();

export function getRecorder(turn: Turn): Recorder {
  const existing = recorders.get(turn.run);
  if (existing) return existing;
  const recorder = new Recorder(turn, turn.incident?.investigation?.id ?? "");
  recorders.set(turn.run, recorder);
  return recorder;
}
