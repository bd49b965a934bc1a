import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

/** Returns the `ETag` header of a resource: its version number as a strong tag. */
export function etagHeader({ version }: { readonly version: number }): { readonly etag: string } {
  return { etag: `"${version}"` };
}

/** Creates the error for an `If-Match` header that does not match the current version of the resource. */
export const preconditionFailed = () => new ServiceError("precondition_failed");

/**
 * Requires that the header `If-Match` names the current version or `*`. Weak tags never match (RFC 9110, section
 * 13.1.1).
 * @throws ServiceError `precondition_required` without `If-Match`, `precondition_failed` if no tag matches
 */
export function requireIfMatch(headers: RequestHeaders, current: { readonly version: number }): void {
  const ifMatch = headers["if-match"]?.trim();
  if (!ifMatch) throw new ServiceError("precondition_required");
  const tags = ifMatch.split(",").map((tag) => tag.trim());
  if (!tags.includes("*") && !tags.includes(etagHeader(current).etag)) throw preconditionFailed();
}
