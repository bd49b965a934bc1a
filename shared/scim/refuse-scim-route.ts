import { noRoute, ServiceError } from "../lib/errors.ts";

/**
 * Returns the error for a request below `/scim/v2` that matches no route: operations that RFC 7644 lets a service leave out, methods
 * that the metadata does not have, and unknown paths.
 */
export function refuseScimRoute(method: string, path: string): ServiceError {
  const kind = /^\/scim\/v2\/([^/]*)/.exec(path)?.[1] ?? "";
  if (method === "POST" && (kind === "Bulk" || path.endsWith("/.search"))) {
    return new ServiceError(
      "not_implemented",
      `${path} is not offered. Send the requests one by one, and filters with GET.`,
    );
  }
  const isMetadata = ["ServiceProviderConfig", "ResourceTypes", "Schemas"].includes(kind);
  if (isMetadata) return new ServiceError("method_not_allowed", undefined, { headers: { allow: "GET" } });
  return noRoute();
}
