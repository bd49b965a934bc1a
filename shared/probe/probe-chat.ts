import { createSwitchboard, type Switchboard } from "../client/index.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { recordMetrics } from "../lib/metrics.ts";

const PROBE_TIMEOUT_MS = 45_000;

/** Address of the service, and time for the whole probe, below the timeout of its function. */
interface ProbeTarget {
  readonly baseUrl: string;
  readonly timeoutMs?: number;
}

/** API key and persona to ask with. */
interface ChatTarget extends ProbeTarget {
  readonly key: () => Promise<string>;
  /** Persona with the model to call and the maximum length of its answer. */
  readonly personaId: string;
}

/**
 * Reports the result of a probe as the metrics `probes` and `failed_probes`. Never throws: Lambda would repeat the
 * invocation.
 */
async function reportProbe(
  { timeoutMs = PROBE_TIMEOUT_MS }: ProbeTarget,
  probe: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const startedAt = now();
  let isFailed = false;
  try {
    await probe(AbortSignal.timeout(timeoutMs));
  } catch (error) {
    isFailed = true;
    log.error("probe failed", { error });
  }
  recordMetrics({
    metrics: { probes: 1, failed_probes: isFailed ? 1 : 0 },
    fields: { message: "probe ended", duration_ms: now() - startedAt },
  });
}

/** Asks one question in a new conversation, like a client outside, and deletes the conversation. */
export const probeChat = (target: ChatTarget): Promise<void> =>
  reportProbe(target, async (signal) => {
    const client = createSwitchboard({ baseUrl: target.baseUrl, token: target.key, maxRetries: 0 });
    // Temporary, so that a conversation that could not be deleted expires after a day.
    const body = { title: "Probe", persona_id: target.personaId, temporary: true };
    const { id } = await client.POST("/v1/conversations", { body, signal });
    try {
      await ask(client, id, signal);
    } finally {
      await client.DELETE("/v1/conversations/{id}", { params: { path: { id } }, signal });
    }
  });

/** Requests the health of the service, like a client outside. It needs no credential and calls no model. */
export const probeHealth = (target: ProbeTarget): Promise<void> =>
  reportProbe(target, (signal) =>
    createSwitchboard({ baseUrl: target.baseUrl, maxRetries: 0 }).GET("/health", { signal }),
  );

/** @throws Error unless an answer with text is received */
async function ask(client: Switchboard, conversation_id: string, signal: AbortSignal): Promise<void> {
  let characters = 0;
  const question = { conversation_id, content: "Reply with the word OK.", tier: "QUICK" as const };
  for await (const { type, data } of client.chat(question, { signal })) {
    if (type === "assistant_message" && !data.final) characters += data.content.length;
    if (type === "error" || type === "interrupted") throw new Error(`The answer ended with ${type}`);
  }
  if (characters === 0) throw new Error("The answer has no text");
}
