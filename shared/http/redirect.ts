import { Reply } from "./reply.ts";

/**
 * The answer for what has another address now. Who reads may ask there from now on; whatever else was asked is to be
 * asked again there as it is, with its method and body.
 * @see RFC 9110, 15.4.2 and 15.4.9
 */
export function redirect(path: string, method: string, query: Readonly<Record<string, string>>): Reply<void> {
  const search = new URLSearchParams(query).toString();
  const location = search ? `${path}?${search}` : path;
  return new Reply(method === "GET" || method === "HEAD" ? 301 : 308, undefined, {
    location,
    link: `<${path}>; rel="successor-version"`,
  });
}
