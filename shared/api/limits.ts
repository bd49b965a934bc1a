// Without imports, because the console and the widget load this file too.

export const MEBIBYTE = 1_048_576;

/** Maximum size of a request body in bytes, unless the contract of the operation has another one. */
export const MAX_BODY_BYTES = MEBIBYTE;

/**
 * Maximum size of a document in a form, in bytes. Lambda receives at most 6 MB, and API Gateway sends the form to it in
 * Base64, which is a third longer.
 */
export const MAX_FORM_FILE_BYTES = 4 * MEBIBYTE;

/** Maximum size of a document that is uploaded by a presigned URL, in bytes. */
export const MAX_UPLOAD_BYTES = 50 * MEBIBYTE;

/** Maximum size of a web page that is imported, in bytes. */
export const MAX_WEB_PAGE_BYTES = 10 * MEBIBYTE;

/** Maximum size of all pages of an import, in bytes. */
export const MAX_IMPORT_BYTES = 100 * MEBIBYTE;

/** Time within which a file must be sent to its presigned URL, in seconds. */
export const UPLOAD_SECONDS = 900;

/**
 * Maximum length of a page of OpenAI items, and of a conversation that can be continued, in UTF-16 code units of its JSON,
 * because Lambda returns at most 6 MB.
 */
export const MAX_ITEMS_LENGTH = 4 * MEBIBYTE;
