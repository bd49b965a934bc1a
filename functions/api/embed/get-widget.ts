import script from "browser:widget";
import { getWidget } from "#shared/api/embed/embed.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { textReply } from "#shared/http/reply.ts";

// Pages all over the web load it: the edge keeps it, and a new one is everywhere within minutes.
const caching = { "cache-control": "public, max-age=300, stale-while-revalidate=86400" };

export const handler = endpoint(getWidget, async () =>
  textReply(200, "text/javascript; charset=utf-8", script, caching),
);
