import { t } from "../i18n.ts";

/**
 * Returns translated sentences for errors and warnings of the service, by code. `server-texts.ts` chooses one; in
 * English, the console shows the message of the response instead.
 */
export const codeTexts = (): Readonly<Record<string, string>> => ({
  knowledge_unavailable: t("The knowledge base could not be searched for this answer."),
  knowledge_words_only: t(
    "The knowledge base was searched by words only, because the search by meaning is not available.",
  ),
  knowledge_not_reranked: t("The search results were not ranked again, because the reranking is not available."),
  history_trimmed: t("Only the latest part of the conversation is used as context."),
  question_trimmed: t("The message is too long for the model, so its middle was left out. Attach long texts as files."),
  model_fallback: t("The usual model is not available. Another one answers."),
  model_error: t(
    "The language model refused the request or returned an error. Try again, or shorten the conversation.",
  ),
  model_overloaded: t("The language model is overloaded. Try again in a moment."),
  context_length_exceeded: t(
    "This is too long for the language model. Shorten the message, or start a new conversation.",
  ),
  internal_error: t("An unexpected error occurred. Try again."),
  unavailable: t("A part of the service is not available at the moment. Try again soon."),
  timeout: t("This took too long. Try again."),
  not_found: t("This does not exist, or it is not shared with you."),
  conflict: t("This is not possible in the current state, for example because the name is taken."),
  gone: t("This no longer exists."),
  payload_too_large: t("This is too large."),
  unauthorized: t("Your session has ended. Sign in again."),
  empty: t("The document contains no visible text. Add a file with text."),
  encrypted: t("The file is encrypted. Remove its password and upload it again."),
  scanned_only: t("The file contains only images of pages. Attach them as images, or run text recognition (OCR)."),
  corrupt: t("The file is damaged. Open it in its program, save it again and upload the new file."),
  unknown_encoding: t(
    "The encoding of the text could not be recognized for certain. Save it as UTF-8 and upload the new file.",
  ),
  mislabeled: t("The content of the file does not match its name. Give it the extension of its format."),
  too_large: t("The document contains too much text. Split it into smaller files."),
  too_many_pages: t("The file has more than 2,000 pages. Split it into smaller files."),
  image_too_large: t("The image has more than 8,000 pixels on one side. Make it smaller and attach it again."),
  unsupported: t("This format cannot be read."),
  suspicious: t("The file expands to far more data than its size suggests. Save it again and upload the new file."),
  timed_out: t("Reading the file took too long. Split it into smaller files or save it in a simpler format."),
  out_of_memory: t(
    "Reading the file took too much memory. Split it into smaller files or save it in a simpler format.",
  ),
  upload_missing: t("The file was not uploaded in time. Start a new upload."),
  processing_failed: t("The document could not be processed. Upload it again."),
  unsupported_content: t("The language model does not accept such files. Remove them, or choose another model."),
});
