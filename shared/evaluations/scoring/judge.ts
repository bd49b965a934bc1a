import type { Usage } from "../../api/conversations/messages.ts";
import { quote } from "../../chat/context/quote.ts";
import { isJsonObject, parseJson } from "../../lib/parse-json.ts";
import { truncate } from "../../lib/truncate.ts";
import { askModel } from "../../models/ask-model.ts";
import { toUsage } from "../../models/tokens.ts";
import { judgeInstructions } from "./judge-instructions.ts";

const [TIMEOUT_MS, MAX_OUTPUT_TOKENS, MAX_REASON_CHARACTERS] = [60_000, 300, 500];

/** Answer to check, and by what. */
interface Judgment {
  readonly rubric: string;
  readonly votes: number;
}

interface Vote {
  readonly passed: boolean;
  readonly reason: string;
}

/** Returns the vote in a reply, or undefined if there is none. */
function readVote(text: string): Vote | undefined {
  const json = parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  if (!isJsonObject(json) || typeof json.passed !== "boolean") return undefined;
  return { passed: json.passed, reason: truncate(String(json.reason ?? ""), MAX_REASON_CHARACTERS) };
}

/** Model that checks the answers to a question. */
export class Judge {
  readonly #model: string;
  readonly #question: string;
  readonly #signal: AbortSignal;
  readonly #usages: Usage[] = [];

  /** @param model internal name of the model */
  constructor(model: string, question: string, signal: AbortSignal) {
    this.#model = model;
    this.#question = question;
    this.#signal = signal;
  }

  /** Usage of each call so far. */
  get usages(): readonly Usage[] {
    return this.#usages;
  }

  /**
   * Returns the decision of the majority, with the reason of one of its votes. Without a majority of readable votes, the answer
   * has not passed.
   * @throws ServiceError as `askModel` throws it; the reason of the signal
   */
  async decide(answer: string, { rubric, votes }: Judgment): Promise<{ passed: boolean; detail: string }> {
    const cast = await Promise.all(
      Array.from({ length: votes }, (_, index) => this.#vote(answer, rubric, index % 2 === 1)),
    );
    const readable = cast.filter((vote) => vote !== undefined);
    const passed = readable.filter((vote) => vote.passed).length * 2 > votes;
    const reason = readable.find((vote) => vote.passed === passed)?.reason;
    return { passed, detail: reason ?? "The judge gave no verdict." };
  }

  async #vote(answer: string, rubric: string, isAnswerFirst: boolean): Promise<Vote | undefined> {
    const parts = [`Rubric:\n${rubric}`, quote("message", { from: "assistant" }, answer)];
    const text = [
      quote("message", { from: "user" }, this.#question),
      ...(isAnswerFirst ? parts.reverse() : parts),
    ].join("\n\n");
    const reply = await askModel(this.#model, {
      instructions: judgeInstructions,
      text,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    this.#usages.push(toUsage(reply.modelId, reply.usage, { input: judgeInstructions + text, output: reply.text }));
    return readVote(reply.text);
  }
}
