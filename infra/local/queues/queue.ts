import { createHash, randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { codeOf, Failure } from "../failure.ts";

/** A message on a queue. */
export type Message = {
  id: string;
  body: string;
  attributes: Record<string, unknown>;
  sentAt: number;
  /** When it may be received (next). */
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  receiptHandle?: string;
};

/** What a queue's template says about it. */
export type QueueOptions = {
  name: string;
  arn: string;
  visibilityTimeoutMs: number;
  delayMs: number;
  retentionMs: number;
  /** After so many receipts a message goes to the dead-letter queue. */
  maxReceiveCount: number;
  deadLetterArn: string | undefined;
};

type Entry = { put: Message } | { delete: string };

/**
 * An SQS queue in memory, with a journal of what was sent and deleted, so that messages survive a restart. Emits `message`
 * whenever there may be something to receive.
 */
export class Queue extends EventEmitter<{ message: [] }> {
  readonly options: QueueOptions;
  readonly #journal: string;
  readonly #messages = new Map<string, Message>();
  readonly #deadLetters: (message: Message) => void;
  #alarm: NodeJS.Timeout | undefined;

  /**
   * @param deadLetters takes a message that was received too often
   * @throws Failure when the journal cannot be read
   */
  constructor(options: QueueOptions, journal: string, deadLetters: (message: Message) => void) {
    super();
    // Long polls and feeds listen as long as they wait.
    this.setMaxListeners(0);
    this.options = options;
    this.#journal = journal;
    this.#deadLetters = deadLetters;
    this.#replay();
  }

  /** Adds a message; it is kept once this returns. */
  send(body: string, attributes: Record<string, unknown> = {}, delayMs = this.options.delayMs): Message {
    const now = Date.now();
    const message: Message = {
      id: randomUUID(),
      body,
      attributes,
      sentAt: now,
      visibleAt: now + delayMs,
      receiveCount: 0,
    };
    this.#put(message);
    return message;
  }

  /** Takes over a message from the queue it failed on. */
  adopt(message: Message): void {
    this.#put({ ...message, visibleAt: Date.now(), receiveCount: 0 });
  }

  /** Up to `limit` messages, hidden from other receivers for the visibility timeout. */
  receive(limit: number, visibilityTimeoutMs = this.options.visibilityTimeoutMs): Message[] {
    const now = Date.now();
    const received: Message[] = [];
    for (const message of this.#messages.values()) {
      if (received.length >= limit) break;
      if (message.visibleAt > now) continue;
      if (message.sentAt + this.options.retentionMs < now) this.#remove(message.id);
      else if (message.receiveCount >= this.options.maxReceiveCount) {
        this.#deadLetters(message);
        this.#remove(message.id);
      } else {
        message.receiveCount++;
        message.firstReceivedAt ??= now;
        message.receiptHandle = `${message.id}:${message.receiveCount}`;
        message.visibleAt = now + visibilityTimeoutMs;
        received.push({ ...message });
      }
    }
    this.#wake();
    return received;
  }

  /** Waits until something may be received, or until the signal says so. */
  async waiting(signal: AbortSignal): Promise<void> {
    if (this.#nextAt() <= Date.now() || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.off("message", done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.on("message", done);
      signal.addEventListener("abort", done);
      this.#wake();
    });
  }

  /** Removes a received message. An outdated receipt removes nothing. */
  delete(receiptHandle: string): void {
    const message = this.#byReceipt(receiptHandle);
    if (message) this.#remove(message.id);
  }

  /** Hides a received message for another while, or shows it at once. */
  changeVisibility(receiptHandle: string, timeoutMs: number): void {
    const message = this.#byReceipt(receiptHandle);
    if (message) message.visibleAt = Date.now() + timeoutMs;
    this.#wake();
  }

  /** How many messages can be received, are received but not deleted, and are delayed. */
  counts(): { visible: number; inFlight: number; delayed: number } {
    const now = Date.now();
    const hidden = [...this.#messages.values()].filter(({ visibleAt }) => visibleAt > now);
    const inFlight = hidden.filter(({ receiveCount }) => receiveCount > 0).length;
    return { visible: this.#messages.size - hidden.length, inFlight, delayed: hidden.length - inFlight };
  }

  close(): void {
    clearTimeout(this.#alarm);
  }

  #put(message: Message): void {
    this.#messages.set(message.id, message);
    this.#record({ put: message });
    this.#wake();
  }

  #remove(id: string): void {
    this.#messages.delete(id);
    this.#record({ delete: id });
  }

  #byReceipt(receiptHandle: string): Message | undefined {
    const message = this.#messages.get(receiptHandle.split(":")[0] ?? "");
    return message?.receiptHandle === receiptHandle ? message : undefined;
  }

  #nextAt(): number {
    let nextAt = Number.POSITIVE_INFINITY;
    for (const { visibleAt } of this.#messages.values()) nextAt = Math.min(nextAt, visibleAt);
    return nextAt;
  }

  /** Tells listeners now or when the next message becomes visible. */
  #wake(): void {
    clearTimeout(this.#alarm);
    if (this.listenerCount("message") === 0) return;
    const nextAt = this.#nextAt();
    if (nextAt === Number.POSITIVE_INFINITY) return;
    // Timers are good for 24 days; a later message is looked at again then.
    this.#alarm = setTimeout(() => this.emit("message"), Math.min(Math.max(0, nextAt - Date.now()), 2 ** 31 - 1));
  }

  #record(entry: Entry): void {
    appendFileSync(this.#journal, `${JSON.stringify(entry)}\n`);
  }

  #replay(): void {
    if (!existsSync(this.#journal)) return;
    try {
      for (const line of readFileSync(this.#journal, "utf8").split("\n").filter(Boolean)) {
        const entry = JSON.parse(line) as Entry;
        if ("put" in entry) this.#messages.set(entry.put.id, entry.put);
        else this.#messages.delete(entry.delete);
      }
    } catch (error) {
      if (codeOf(error)) throw error;
      throw new Failure(
        `${this.#journal} is damaged. Start with --fresh to forget the local state, or remove the file.`,
      );
    }
    // Deleted messages leave the file here, the one time it is read as a whole.
    const lines = [...this.#messages.values()].map(
      (message) => `${JSON.stringify({ put: message } satisfies Entry)}\n`,
    );
    writeFileSync(this.#journal, lines.join(""));
  }
}

/** The digest by which SQS clients check bodies. */
export function md5(body: string): string {
  return createHash("md5").update(body).digest("hex");
}
