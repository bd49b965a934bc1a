import { createHash, randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { codeOf, Failure } from "../failure.ts";

export interface QueueMessage {
  id: string;
  body: string;
  attributes: Record<string, unknown>;
  /** Message group: a fair queue serves the groups, such as tenants, in turn. */
  groupId?: string | undefined;
  sentAt: number;
  /** Epoch milliseconds from which the message can be received. */
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  receiptHandle?: string;
  /** ARN of the source queue of a message in a dead-letter queue. */
  sourceArn?: string;
}

export interface QueueOptions {
  name: string;
  arn: string;
  visibilityTimeoutMs: number;
  delayMs: number;
  retentionMs: number;
  /** Maximum number of receives. The next one moves the message to the dead-letter queue. */
  maxReceiveCount: number;
  deadLetterArn: string | undefined;
}

type JournalEntry = { put: QueueMessage } | { delete: string };

/**
 * SQS queue in memory. A journal of sent and deleted messages preserves them across restarts. Emits `message` when a message
 * can probably be received.
 */
export class Queue extends EventEmitter<{ message: [] }> {
  readonly options: QueueOptions;
  readonly #journal: string;
  readonly #messages = new Map<string, QueueMessage>();
  readonly #onDeadLetter: (message: QueueMessage) => void;
  #visibilityTimer: NodeJS.Timeout | undefined;

  /**
   * @param onDeadLetter called with messages that exceed `maxReceiveCount`
   * @throws Failure when the journal cannot be read
   */
  constructor(options: QueueOptions, journal: string, onDeadLetter: (message: QueueMessage) => void) {
    super();
    // Each pending long poll and each queue feed adds a listener, so the default limit of 10 does not apply.
    this.setMaxListeners(0);
    this.options = options;
    this.#journal = journal;
    this.#onDeadLetter = onDeadLetter;
    this.#replayJournal();
  }

  /** Adds a message, and writes it to the journal before returning. */
  send(
    body: string,
    attributes: Record<string, unknown> = {},
    delayMs = this.options.delayMs,
    groupId?: string,
  ): QueueMessage {
    const now = Date.now();
    const message: QueueMessage = {
      id: randomUUID(),
      body,
      attributes,
      groupId,
      sentAt: now,
      visibleAt: now + delayMs,
      receiveCount: 0,
    };
    this.#put(message);
    return message;
  }

  /**
   * Adds a message to this dead-letter queue.
   * @param sourceArn ARN of the queue that the message comes from
   */
  addDeadLetter(message: QueueMessage, sourceArn: string): void {
    this.#put({ ...message, visibleAt: Date.now(), receiveCount: 0, sourceArn });
  }

  /** Removes the messages of this dead-letter queue that come from another queue, and returns them. */
  takeDeadLetters(): (QueueMessage & { readonly sourceArn: string })[] {
    const isDeadLetter = (message: QueueMessage): message is QueueMessage & { sourceArn: string } =>
      message.sourceArn !== undefined && message.visibleAt <= Date.now();
    const taken = [...this.#messages.values()].filter(isDeadLetter);
    for (const { id } of taken) this.#remove(id);
    return taken;
  }

  /** Receives up to `limit` messages and hides them from other receivers for the visibility timeout. */
  receive(limit: number, visibilityTimeoutMs = this.options.visibilityTimeoutMs): QueueMessage[] {
    const now = Date.now();
    const received: QueueMessage[] = [];
    for (const message of this.#inFairOrder(now)) {
      if (received.length >= limit) break;
      if (message.sentAt + this.options.retentionMs < now) this.#remove(message.id);
      else if (message.receiveCount >= this.options.maxReceiveCount) {
        this.#onDeadLetter(message);
        this.#remove(message.id);
      } else {
        message.receiveCount++;
        message.firstReceivedAt ??= now;
        message.receiptHandle = `${message.id}:${message.receiveCount}`;
        message.visibleAt = now + visibilityTimeoutMs;
        received.push({ ...message });
      }
    }
    this.#scheduleNotification();
    return received;
  }

  /**
   * Returns the visible messages. Messages of groups with few messages in flight come first.
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
   */
  #inFairOrder(now: number): QueueMessage[] {
    const messages = [...this.#messages.values()];
    const inFlight = new Map<string | undefined, number>();
    for (const { groupId, visibleAt, receiveCount } of messages) {
      if (visibleAt > now && receiveCount > 0) inFlight.set(groupId, (inFlight.get(groupId) ?? 0) + 1);
    }
    const countOf = ({ groupId }: QueueMessage) => (groupId === undefined ? 0 : (inFlight.get(groupId) ?? 0));
    return messages.filter(({ visibleAt }) => visibleAt <= now).sort((a, b) => countOf(a) - countOf(b));
  }

  /** Waits until a message can probably be received, or until `signal` aborts. */
  async waitForMessage(signal: AbortSignal): Promise<void> {
    if (this.#nextVisibleAt() <= Date.now() || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.off("message", done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.on("message", done);
      signal.addEventListener("abort", done);
      this.#scheduleNotification();
    });
  }

  /** Deletes a received message. Does nothing for an outdated receipt handle. */
  delete(receiptHandle: string): void {
    const message = this.#findByReceipt(receiptHandle);
    if (message) this.#remove(message.id);
  }

  /** Changes the visibility timeout of a received message; 0 makes it visible immediately. */
  changeVisibility(receiptHandle: string, timeoutMs: number): void {
    const message = this.#findByReceipt(receiptHandle);
    if (message) message.visibleAt = Date.now() + timeoutMs;
    this.#scheduleNotification();
  }

  /** Returns the numbers of messages that can be received, that were received but not deleted, and that are delayed. */
  counts(): { visible: number; inFlight: number; delayed: number } {
    const now = Date.now();
    const hidden = [...this.#messages.values()].filter(({ visibleAt }) => visibleAt > now);
    const inFlight = hidden.filter(({ receiveCount }) => receiveCount > 0).length;
    return { visible: this.#messages.size - hidden.length, inFlight, delayed: hidden.length - inFlight };
  }

  close(): void {
    clearTimeout(this.#visibilityTimer);
  }

  #put(message: QueueMessage): void {
    this.#messages.set(message.id, message);
    this.#appendToJournal({ put: message });
    this.#scheduleNotification();
  }

  #remove(id: string): void {
    this.#messages.delete(id);
    this.#appendToJournal({ delete: id });
  }

  #findByReceipt(receiptHandle: string): QueueMessage | undefined {
    const message = this.#messages.get(receiptHandle.split(":")[0] ?? "");
    return message?.receiptHandle === receiptHandle ? message : undefined;
  }

  #nextVisibleAt(): number {
    let nextVisibleAt = Number.POSITIVE_INFINITY;
    for (const { visibleAt } of this.#messages.values()) nextVisibleAt = Math.min(nextVisibleAt, visibleAt);
    return nextVisibleAt;
  }

  /** Schedules the event `message` for the time at which the next message becomes visible. */
  #scheduleNotification(): void {
    clearTimeout(this.#visibilityTimer);
    if (this.listenerCount("message") === 0) return;
    const nextVisibleAt = this.#nextVisibleAt();
    if (nextVisibleAt === Number.POSITIVE_INFINITY) return;
    // Timers are limited to 24 days. For a later message, listeners check again after that time.
    this.#visibilityTimer = setTimeout(
      () => this.emit("message"),
      Math.min(Math.max(0, nextVisibleAt - Date.now()), 2 ** 31 - 1),
    );
  }

  #appendToJournal(entry: JournalEntry): void {
    appendFileSync(this.#journal, `${JSON.stringify(entry)}\n`);
  }

  #replayJournal(): void {
    if (!existsSync(this.#journal)) return;
    try {
      for (const line of readFileSync(this.#journal, "utf8").split("\n").filter(Boolean)) {
        const entry = JSON.parse(line) as JournalEntry;
        if ("put" in entry) this.#messages.set(entry.put.id, entry.put);
        else this.#messages.delete(entry.delete);
      }
    } catch (error) {
      if (codeOf(error)) throw error;
      throw new Failure(
        `${this.#journal} is damaged. Start with --fresh to reset the local state, or remove the file.`,
      );
    }
    // Compact the journal: rewrite it without deleted messages.
    const lines = [...this.#messages.values()].map(
      (message) => `${JSON.stringify({ put: message } satisfies JournalEntry)}\n`,
    );
    writeFileSync(this.#journal, lines.join(""));
  }
}

/** Computes the digest that SQS clients use to verify message bodies. */
export function md5(body: string): string {
  return createHash("md5").update(body).digest("hex");
}
