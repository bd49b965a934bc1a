import { now } from "../lib/clock.ts";
import { type MetricValues, recordMetrics } from "../lib/metrics.ts";
import { isTerminal, type RunEvent } from "./events.ts";
import type { StoredRun } from "./run-store.ts";

/** Collects the metrics of a run from its events and reports them by model after the last event. */
export class RunMetrics {
  readonly #run: StoredRun;
  readonly #startedAt = now();
  #firstTokenMs: number | null = null;
  #usage: MetricValues = {};
  #model: string;
  #end: RunEvent | null = null;

  constructor(run: StoredRun) {
    this.#run = run;
    this.#model = run.model;
  }

  observe(event: RunEvent): void {
    if (event.type === "assistant_message") this.#firstTokenMs ??= now() - this.#startedAt;
    if (event.type === "swtoken_update") {
      const { input_tokens, output_tokens, cost_usd, model } = event.data;
      this.#usage = { input_tokens, output_tokens, ...(cost_usd !== null && { cost_usd }) };
      this.#model = model;
    }
    if (isTerminal(event)) this.#end = event;
  }

  /** Reports the metrics if the run has ended; not if it was paused. */
  report(): void {
    const end = this.#end;
    if (!end) return;
    const isFailed = end.type === "error" || (end.type === "interrupted" && end.data.reason === "provider");
    const { request_id, message_id, tier } = this.#run;
    recordMetrics({
      metrics: {
        runs: 1,
        failed_runs: isFailed ? 1 : 0,
        run_duration_ms: now() - this.#startedAt,
        ...(this.#firstTokenMs !== null && { time_to_first_token_ms: this.#firstTokenMs }),
        ...this.#usage,
      },
      dimensions: { model: this.#model },
      fields: { level: "info", message: "run ended", request_id, message_id, tier, end: end.type },
    });
  }
}
