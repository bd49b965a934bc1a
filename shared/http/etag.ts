import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

/** The `ETag` of a resource that counts its versions. */
export function etagHeader({ version }: { readonly version: number }): { readonly etag: string } {
  return { etag: `"${version}"` };
}

/** What a request is answered with whose `If-Match` names another version than there is. */
export const preconditionFailed = () => new ServiceError("precondition_failed");

/**
 * Sees to it that a request means the version that there is. Weak tags never match (RFC 9110, 13.1.1).
 * @throws ServiceError `precondition_required` without `If-Match`, `precondition_failed` where it names other versions
 */
export function requireIfMatch(headers: RequestHeaders, current: { readonly version: number }): void {
  const given = headers["if-match"]?.trim();
  if (!given) throw new ServiceError("precondition_required");
  const tags = given.split(",").map((tag) => tag.trim());
  if (!tags.includes("*") && !tags.includes(etagHeader(current).etag)) throw preconditionFailed();
}
