import { Reply } from "./reply.ts";

/**
 * Redirects a request to the new path of a resource, permanently: with 301 for GET and HEAD, and otherwise with 308,
 * which preserves method and body.
 * @see RFC 9110, sections 15.4.2 and 15.4.9
 */
export function redirect(path: string, method: string, query: Readonly<Record<string, string>>): Reply<void> {
  const search = new URLSearchParams(query).toString();
  const location = search ? `${path}?${search}` : path;
  return new Reply(method === "GET" || method === "HEAD" ? 301 : 308, undefined, {
    location,
    link: `<${path}>; rel="successor-version"`,
  });
}
