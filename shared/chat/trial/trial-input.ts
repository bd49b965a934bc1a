import type { TestContext } from "../../api/evaluations/test-items.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";

/** Question to answer without a conversation, and what is taken from a recording instead of read. */
export interface Trial {
  readonly question: string;
  readonly context: TestContext;
  /** Messages of the context as those of a conversation. */
  readonly history: readonly StoredMessage[];
  readonly hasRecordedPassages: boolean;
  readonly hasRecordedTools: boolean;
}
