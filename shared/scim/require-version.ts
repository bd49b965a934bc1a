import { preconditionFailed } from "../http/etag.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { toVersion } from "./user-resource.ts";

/**
 * Requires that the header `If-Match`, if present, names the current version. SCIM clients send the weak ETags that they
 * received (RFC 7644, section 3.14).
 * @throws ServiceError `precondition_failed`
 */
export function requireVersion(headers: RequestHeaders, resource: { readonly version: number }): void {
  const ifMatch = headers["if-match"]?.trim();
  if (!ifMatch || ifMatch === "*") return;
  const withoutWeakness = (tag: string) => tag.trim().replace(/^W\//, "");
  const current = withoutWeakness(toVersion(resource));
  if (!ifMatch.split(",").some((tag) => withoutWeakness(tag) === current)) throw preconditionFailed();
}
