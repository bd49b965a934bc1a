import script from "browser:widget";
import { getWidgetRoute } from "#shared/api/embed/embed.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { textReply } from "#shared/http/reply.ts";

// CloudFront and browsers cache the script for five minutes, which bounds the rollout time of a new version.
const caching = { "cache-control": "public, max-age=300, stale-while-revalidate=86400" };

export const handler = endpoint(getWidgetRoute, async () =>
  textReply(200, "text/javascript; charset=utf-8", script, caching),
);
