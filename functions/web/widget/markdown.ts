/** Part with the Markdown of the service. It is loaded after the panel, which shows plain text until then. */
export { blocksToMarkdown } from "../../../shared/client/blocks-to-markdown.ts";
export { parseMarkdown } from "../../../shared/client/parse-markdown.ts";
export { definitionsOf, isSafeUrl, renderFootnotes, renderMarkdown } from "../../../shared/client/render-markdown.ts";
