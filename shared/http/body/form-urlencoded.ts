import { ServiceError } from "../../lib/errors.ts";

/** Checks whether a content type is `application/x-www-form-urlencoded`. */
export const isFormUrlencoded = (contentType: string | undefined): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(contentType ?? "");

/**
 * Converts a URL-encoded form to a JSON object. As OAuth requires, parameters without a value are omitted, and a
 * parameter must not be repeated.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 * @throws ServiceError `malformed_body` if a parameter is repeated or is not UTF-8
 */
export function formToJson(form: string): string {
  const entries = [...new URLSearchParams(form)];
  const isReplaced = entries.some((entry) => entry.some((text) => text.includes("\ufffd")));
  if (isReplaced && !/\ufffd|%EF%BF%BD/i.test(form)) {
    throw new ServiceError("malformed_body", "The form is not encoded as UTF-8.");
  }
  if (new Set(entries.map(([name]) => name)).size < entries.length) {
    throw new ServiceError("malformed_body", "The form repeats a parameter.");
  }
  return JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== "")));
}
