// Without imports, because the widget loads this file too. A prompt can contain the files of several messages: its
// limits are in `shared/chat/context/attached-files.ts`.

/** Maximum size of an attached file, in bytes. */
export const MAX_ATTACHMENT_BYTES = 20_971_520;

/** Maximum number of files in one message. */
export const MAX_ATTACHMENTS = 10;

/** Maximum number of documents of the knowledge that a question can name. */
export const MAX_QUESTION_DOCUMENTS = 5;
