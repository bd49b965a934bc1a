import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Tier } from "../api/tiers.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import type { StoredConversation } from "../data/conversation-store.ts";
import type { StoredMessage } from "../data/message-store.ts";
import type { PhaseTiming, RunEvent } from "./events.ts";

/** One question and the making of its answer: phases read and fill it one after another. */
export interface Turn {
  readonly principal: UserPrincipal;
  readonly requestId: string;
  readonly conversation: StoredConversation;
  readonly question: StoredMessage;
  /** Id of the answer, and of the run. */
  readonly messageId: string;
  readonly tier: Tier;
  readonly modelId: string;
  readonly createdAt: string;
  /** Aborted when the run has to end before its time. */
  readonly signal: AbortSignal;

  model: LanguageModelV4 | null;
  prompt: LanguageModelV4Prompt;
  /** The answer as far as it was generated, in Markdown. */
  text: string;
  usage: LanguageModelV4Usage | undefined;
  readonly timings: PhaseTiming[];
  /** Epoch milliseconds of the first piece of the answer. */
  firstTokenAt: number | null;
}

/** One step on the way to an answer. */
export interface Phase {
  readonly name: string;
  run(turn: Turn): AsyncGenerator<RunEvent, void>;
}
