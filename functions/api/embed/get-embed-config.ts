import { getEmbedConfigRoute } from "#shared/api/embed/embed.ts";
import { deriveTheme } from "#shared/embed/theme.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";

// Browsers reuse the theme for five minutes, so that visitors who browse a site cause few requests.
const caching = { "cache-control": "private, max-age=300" };

export const handler = endpoint(
  getEmbedConfigRoute,
  async ({ embedKey: { theme } }) => new Reply(200, { theme: deriveTheme(theme) }, caching),
);
