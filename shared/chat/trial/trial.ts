import type { Block } from "../../api/blocks.ts";
import type { MessageCheck, Usage } from "../../api/conversations/messages.ts";
import type { UserPrincipal } from "../../auth/principal.ts";
import { newConversation } from "../../conversations/conversation-store.ts";
import { parseBlocks } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { toUnavailable } from "../../dynamodb/is-retryable-error.ts";
import { refusalMessage, withheldMessage } from "../../guardrails/canned-messages.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import type { StoredPersona } from "../../personas/persona-store.ts";
import { replaceTools } from "../attached-tools.ts";
import { toCitationBlocks } from "../citations.ts";
import { newTurn } from "../new-turn.ts";
import { getTurnUsage } from "../phases/commit.ts";
import { generation } from "../phases/generation.ts";
import { inputCheck } from "../phases/input-check.ts";
import { outputCheck } from "../phases/output-check.ts";
import type { Phase } from "../phases/phase.ts";
import type { Turn } from "../turn.ts";
import type { Trial } from "./trial-input.ts";
import { trialPreflight, trialRetrieval } from "./trial-phases.ts";
import { type TrialCall, trialTools } from "./trial-tools.ts";

/** Version of a persona that answers a trial with a model. */
export interface TrialAnswerer {
  readonly principal: UserPrincipal;
  readonly persona: StoredPersona;
  /** Internal name of the model. */
  readonly model: string;
  readonly signal: AbortSignal;
}

/** Answer to a trial. Nothing of it is stored. */
export interface TrialAnswer {
  readonly text: string;
  readonly content: readonly Block[];
  readonly calls: readonly TrialCall[];
  /** True if the guardrail refused the question, or withheld the answer. */
  readonly isBlocked: boolean;
  readonly usage: Usage | null;
  readonly checks: readonly MessageCheck[];
  readonly duration_ms: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

function toMessage(conversationId: string, author: string, role: "user" | "assistant", text: string): StoredMessage {
  return {
    message_id: newId(),
    conversation_id: conversationId,
    role,
    content: [{ type: "text", text }],
    status: "complete",
    parent_id: null,
    author_id: role === "user" ? author : null,
    ...{ tier: null, model: null, usage: null, alert: null, created_at: timestamp(), edited_at: null },
    ...(role === "assistant" && { read_origins: [] }),
  };
}

/** Returns the turn of a trial, whose conversation exists in memory only. */
function toTurn({ principal, persona, model, signal }: TrialAnswerer, trial: Omit<Trial, "history">) {
  const { tier } = persona;
  const conversation = newConversation(principal.userId, {
    ...{ title: "Test", tier, folder_id: null, persona_id: persona.id, temporary: true },
  });
  const history = trial.context.messages.map(({ role, text }) =>
    toMessage(conversation.id, principal.userId, role, text),
  );
  const question = toMessage(conversation.id, principal.userId, "user", trial.question);
  const run = {
    message_id: newId(),
    conversation_id: conversation.id,
    user_message_id: question.message_id,
    user_id: principal.userId,
    request_id: newId(),
    parent_id: null,
    persona_id: persona.id,
    persona_version: persona.version,
    ...{ tier, model, created_at: timestamp() },
  };
  return { turn: newTurn({ principal, conversation, question, run, persona, signal }), trial: { ...trial, history } };
}

/** Runs a phase without its events. */
async function runSilently(turn: Turn, { run }: Phase): Promise<void> {
  const steps = run(turn);
  for (;;) {
    const { done, value } = await steps.next();
    if (!done) continue;
    Object.assign(turn, value);
    return;
  }
}

function toAnswer(
  turn: Turn,
  calls: readonly TrialCall[],
  startedAt: number,
  error: TrialAnswer["error"],
): TrialAnswer {
  const { text, sources } = turn.answer;
  const blocks = parseBlocks(text);
  return {
    text,
    content: [...blocks, ...toCitationBlocks(text, blocks, sources)],
    calls,
    isBlocked: turn.isFinal || text === withheldMessage || text.startsWith(refusalMessage),
    usage: getTurnUsage(turn),
    checks: turn.record.checks,
    duration_ms: now() - startedAt,
    error,
  };
}

/** Converts the failure of a trial to what its result says, and logs an unexpected one. */
export function toTrialError(error: unknown, { persona }: TrialAnswerer): NonNullable<TrialAnswer["error"]> {
  const expected = toUnavailable(error);
  if (!(expected instanceof ServiceError)) log.error("trial failed", { persona_id: persona.id, error });
  const { code, message } = expected instanceof ServiceError ? expected : new ServiceError("internal_error");
  return { code, message };
}

/**
 * Answers a question like a chat turn, with the same phases, but takes its context from a recording and stores nothing.
 * @throws the reason of the signal if it is aborted
 */
export async function answerTrial(answerer: TrialAnswerer, recorded: Omit<Trial, "history">): Promise<TrialAnswer> {
  const startedAt = now();
  const { turn, trial } = toTurn(answerer, recorded);
  const calls: TrialCall[] = [];
  replaceTools(turn, trialTools(trial, calls));
  try {
    for (const phase of [trialPreflight(trial), inputCheck, trialRetrieval(trial), generation, outputCheck]) {
      await runSilently(turn, phase);
    }
    return toAnswer(turn, calls, startedAt, null);
  } catch (error) {
    answerer.signal.throwIfAborted();
    return toAnswer(turn, calls, startedAt, toTrialError(error, answerer));
  }
}
