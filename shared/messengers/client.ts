import type { Messenger } from "../api/messengers/event-ref.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { MessengerAction, MessengerAlert, MessengerFile, MessengerMessage, StoredEvent } from "./event-store.ts";
import type { AnswerTransport } from "./thread-answer.ts";

/**
 * Markup of the messenger for texts of the service. Texts from users and other systems must be passed through `escape`.
 */
export interface Markup {
  escape(this: void, text: string): string;
  strong(this: void, text: string): string;
  link(this: void, url: string, label: string): string;
}

/** File of a message, before it is downloaded. */
export interface ReceivedFile {
  readonly file_name: string;
  /**
   * Downloads the file.
   * @param mediaType media type that the file name stands for
   * @throws UnreadableFile
   */
  download(this: void, maxBytes: number, mediaType: string): Promise<Buffer>;
}

/** Thrown for a file that cannot be attached. The message is a sentence for the user. */
export class UnreadableFile extends Error {}

/** Action that a user is asked to approve or deny. */
export interface DecisionRequest {
  readonly title: string;
  /** Parameters of the action as JSON. A model wrote them, so they are untrusted. */
  readonly parameters: string;
}

/** Connection to one workspace. It contains all that differs between messengers. */
export interface MessengerClient {
  readonly name: string;
  readonly personaId: string | null;
  readonly markup: Markup;
  /** Sends a text that only the account that caused the event sees. */
  tell(this: void, event: StoredEvent, text: string): Promise<void>;
  /** Returns the display name of the account that caused the event, for the page that links it; null if unknown. */
  findName(this: void, event: StoredEvent): Promise<string | null>;
  /** Returns the calls that post an answer to a message. */
  answerTransport(this: void, message: MessengerMessage): AnswerTransport;
  /**
   * Resolves a file of a message for download.
   * @throws UnreadableFile
   */
  openFile(this: void, file: MessengerFile): Promise<ReceivedFile>;
  /** Posts a request for a decision, with buttons, to the thread of a message. */
  askForDecision(
    this: void,
    message: StoredEvent,
    intro: string,
    request: DecisionRequest,
    approvalId: string,
  ): Promise<void>;
  /** Replaces the buttons of a request by the decision. */
  showDecision(this: void, action: MessengerAction, request: DecisionRequest, isApproved: boolean): Promise<void>;
  /**
   * Posts a text to a thread or, without `threadId`, to the channel. If an earlier attempt has already posted this
   * alert, it is not posted again.
   * @returns the id of the message in the messenger
   */
  post(this: void, event: StoredEvent, text: string, threadId?: string): Promise<string>;
  /** Replaces the whole text of an alert's message. `id` is what `post` returned. */
  edit(this: void, alert: MessengerAlert, id: string, text: string): Promise<void>;
}

/** Functions that connect to a workspace. They return null if it was removed, is disabled, or has no secret. */
export type MessengerClients = Readonly<
  Record<Messenger, (scope: TenantScope, workspaceId: string) => Promise<MessengerClient | null>>
>;
