import { findServerRefusal } from "./find-server-refusal.ts";
import { readBounded, requestGuarded } from "./guarded-request.ts";

/**
 * Reads a document from a server that administrators of a tenant chose, without redirects.
 * @throws OutgoingError
 */
export async function fetchGuarded(url: string, maxBytes: number, signal: AbortSignal): Promise<Response> {
  const response = await requestGuarded(url, {
    headers: { accept: "application/json", "user-agent": "Switchboard/1.0" },
    redirects: "none",
    findRefusal: findServerRefusal,
    signal,
  });
  const body = await readBounded(response, maxBytes, signal);
  return new Response([204, 304].includes(response.status) ? null : body.toString("utf8"), {
    status: response.status,
  });
}
