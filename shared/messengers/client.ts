import type { Messenger } from "../api/messengers/event-ref.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { MessengerAction, MessengerAlert, MessengerFile, MessengerMessage, StoredEvent } from "./event-store.ts";
import type { AnswerTransport } from "./thread-answer.ts";

/** Markup of texts that no model wrote. Parts by others are escaped, so that nothing in them is markup. */
export interface Markup {
  escape(this: void, text: string): string;
  strong(this: void, text: string): string;
  link(this: void, url: string, label: string): string;
}

/** File as a messenger sends it. */
export interface ReceivedFile {
  readonly file_name: string;
  /**
   * Downloads the file.
   * @param mediaType media type by the name of the file
   * @throws UnreadableFile
   */
  download(this: void, maxBytes: number, mediaType: string): Promise<Buffer>;
}

/** File that is not attached, with the reason as a sentence for the person. */
export class UnreadableFile extends Error {}

/** Action that needs the decision of a person. */
export interface DecisionRequest {
  readonly title: string;
  /** Parameters of the action as JSON, which a model wrote. */
  readonly parameters: string;
}

/** Workspace with what the assistant does in it: all that differs between messengers. */
export interface MessengerClient {
  readonly name: string;
  readonly personaId: string | null;
  readonly markup: Markup;
  /** Sends a text to the person who acted, which others do not see. */
  tell(this: void, event: StoredEvent, text: string): Promise<void>;
  /** Returns the name of the account that acted, for the page on which it is linked. */
  findName(this: void, event: StoredEvent): Promise<string | null>;
  /** Returns the calls that post an answer to a message. */
  answerTransport(this: void, message: MessengerMessage): AnswerTransport;
  /** Finds a file. @throws UnreadableFile */
  openFile(this: void, file: MessengerFile): Promise<ReceivedFile>;
  /** Posts buttons to the thread of a message. */
  askForDecision(
    this: void,
    message: StoredEvent,
    intro: string,
    request: DecisionRequest,
    approvalId: string,
  ): Promise<void>;
  /** Shows a decision in the place of its buttons. */
  showDecision(this: void, action: MessengerAction, request: DecisionRequest, isApproved: boolean): Promise<void>;
  /**
   * Posts a text to a thread, or to the channel. A function that finds an alert posted by another function does not post it
   * again.
   * @returns the id of the message
   */
  post(this: void, event: StoredEvent, text: string, threadId?: string): Promise<string>;
  /** Replaces the text of a message of an alert. */
  edit(this: void, alert: MessengerAlert, id: string, text: string): Promise<void>;
}

/** Functions that open a workspace for calls. They return null if it was removed or disabled, or has no secret. */
export type MessengerClients = Readonly<
  Record<Messenger, (scope: TenantScope, workspaceId: string) => Promise<MessengerClient | null>>
>;
