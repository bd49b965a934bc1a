/** Fields of a message that determine which branch of the conversation it is on. */
export interface BranchMessage {
  readonly message_id: string;
  readonly role: "user" | "assistant" | "alert" | "system";
  readonly question_id?: string | undefined;
  readonly regenerated?: boolean | undefined;
  readonly replaces_id?: string | undefined;
  readonly after_id?: string | undefined;
}

/** Older message at which the branch continues; all messages in between belong to other branches. */
interface Target {
  readonly messageId: string;
  /** True if the target was replaced by a later message: the branch then continues with the message before it. */
  readonly isReplaced: boolean;
}

/**
 * Finds the messages of one branch of a conversation, from the newest to the oldest. A branch starts at a question that
 * replaces an earlier one (`replaces_id`), a question that follows an earlier message (`after_id`), or an answer that was
 * generated again (`regenerated`). Each of them excludes the messages since that point. Without such messages, a conversation
 * has one branch.
 */
export class BranchReader {
  #target: Target | null = null;
  readonly #answers = new Map<string, string>();

  /**
   * @param next message after the end of the branch, such as the question to answer; by default the branch ends at the newest
   * message
   */
  constructor(next: Pick<BranchMessage, "replaces_id" | "after_id"> = {}) {
    this.#follow(next);
  }

  /**
   * Returns true if a message is on the branch. Must be called for the messages of the conversation, without threads, from
   * the newest to the oldest.
   */
  accepts(message: BranchMessage): boolean {
    const { message_id, role } = message;
    if (role !== "user" && role !== "assistant") return true;
    const target = this.#target;
    // Ids are in the order of time: a target that is newer than the message was deleted.
    if (target && message_id > target.messageId) return false;
    this.#target = null;
    if (role === "user") {
      this.#follow(message);
      return !(target?.isReplaced && target.messageId === message_id);
    }
    const { question_id, regenerated } = message;
    if (question_id === undefined) return true;
    const chosen = this.#answers.get(question_id);
    if (chosen !== undefined) return chosen === message_id;
    this.#answers.set(question_id, message_id);
    if (regenerated) this.#target = { messageId: question_id, isReplaced: false };
    return true;
  }

  #follow({ replaces_id, after_id }: Pick<BranchMessage, "replaces_id" | "after_id">): void {
    const messageId = replaces_id ?? after_id;
    if (messageId !== undefined) this.#target = { messageId, isReplaced: replaces_id !== undefined };
  }
}

/**
 * Returns the messages of one branch.
 * @param messages messages of a conversation, oldest first
 * @param activeId last message of the branch; by default the newest one
 */
export function selectBranch<Message extends BranchMessage>(
  messages: readonly Message[],
  activeId?: string | null,
): Message[] {
  const reader = new BranchReader(activeId ? { after_id: activeId } : {});
  return messages
    .toReversed()
    .filter((message) => reader.accepts(message))
    .reverse();
}

/**
 * Returns the newest message that shares a branch with the given one; `selectBranch` takes it as `activeId`.
 * @param messages messages of a conversation, oldest first
 */
export function findLeaf(messages: readonly BranchMessage[], messageId: string): string {
  const later = messages.filter(
    ({ message_id, role }) => message_id > messageId && (role === "user" || role === "assistant"),
  );
  const leaf = later.findLast((candidate) =>
    selectBranch(messages, candidate.message_id).some(({ message_id }) => message_id === messageId),
  );
  return leaf?.message_id ?? messageId;
}

/**
 * Returns all versions of each message by message id, oldest first. Versions are the answers to one question, or the
 * questions that replace each other; any other message is its only version.
 * @param messages messages of a conversation, without threads, oldest first
 */
export function groupVersions<Message extends BranchMessage>(
  messages: readonly Message[],
): ReadonlyMap<string, readonly Message[]> {
  // A question replaces an earlier one, so that the first version of each is known when it is reached.
  const firstIds = new Map<string, string>();
  for (const { message_id, replaces_id = message_id } of messages) {
    firstIds.set(message_id, firstIds.get(replaces_id) ?? replaces_id);
  }
  const toGroup = ({ role, question_id, message_id }: Message) => {
    if (role === "assistant") return question_id ? `answers to ${question_id}` : message_id;
    return role === "user" ? firstIds.get(message_id) : message_id;
  };
  const versions = new Map<string, Message[]>();
  const groups = new Map<string | undefined, Message[]>();
  for (const message of messages) {
    const key = toGroup(message);
    const group = groups.get(key) ?? [];
    if (group.push(message) === 1) groups.set(key, group);
    versions.set(message.message_id, group);
  }
  return versions;
}
