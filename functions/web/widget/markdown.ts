/** Part with the Markdown of the service. It is loaded after the panel, which shows plain text until then. */
export { parseMarkdown } from "../../../shared/markdown/parse-markdown.ts";
export { definitionsOf, renderFootnotes, renderMarkdown } from "../../../shared/markdown/render-markdown.ts";
