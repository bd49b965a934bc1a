import markdown from "browser:widget/markdown";
import panel from "browser:widget/panel";
import ar from "browser:widget/texts/ar";
import de from "browser:widget/texts/de";
import en from "browser:widget/texts/en";
import es from "browser:widget/texts/es";
import fr from "browser:widget/texts/fr";
import he from "browser:widget/texts/he";
import it from "browser:widget/texts/it";
import ja from "browser:widget/texts/ja";
import ko from "browser:widget/texts/ko";
import nl from "browser:widget/texts/nl";
import pl from "browser:widget/texts/pl";
import pt from "browser:widget/texts/pt";
import ru from "browser:widget/texts/ru";
import tr from "browser:widget/texts/tr";
import zh from "browser:widget/texts/zh";
import zhHant from "browser:widget/texts/zh-hant";
import { getWidgetPartRoute } from "#shared/api/embed/embed.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { textReply } from "#shared/http/reply.ts";
import { notFound } from "#shared/lib/errors.ts";

const texts: Readonly<Record<string, string>> = {
  ar,
  de,
  en,
  es,
  fr,
  he,
  it,
  ja,
  ko,
  nl,
  pl,
  pt,
  ru,
  tr,
  zh,
  "zh-hant": zhHant,
};

const parts: Readonly<Record<string, string>> = { "panel.js": panel, "markdown.js": markdown };

// The parts change with the script of the widget, which is cached for the same time.
const caching = { "cache-control": "public, max-age=300, stale-while-revalidate=86400" };

export const handler = endpoint(getWidgetPartRoute, async ({ params: { part } }) => {
  const script = parts[part] ?? texts[part.slice("texts-".length, -".js".length)];
  if (script === undefined) throw notFound();
  return textReply(200, "text/javascript; charset=utf-8", script, caching);
});
