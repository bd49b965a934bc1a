import { join } from "node:path";
import { build } from "esbuild";
import { parseFragment } from "parse5";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { startBrowser } from "#test/support/browser.ts";
import { markdownCorpus } from "#test/support/markdown/corpus.ts";
import { normalize, type ParsedNode, tidy } from "#test/support/markdown/normalize.ts";
import { type PageServer, startPageServer } from "#test/support/page-server.ts";

/** Program that renders the blocks of answers as the console and as the widget do, and returns their HTML. */
const program = `
import { h, render } from "preact";
import { Blocks } from "./functions/web/console/chat/blocks.tsx";
import { blockElements } from "./functions/web/widget/blocks.ts";
import * as markdown from "./functions/web/widget/markdown.ts";
import texts from "./functions/web/widget/texts/en.json";

const htmlOf = (element) => {
  for (const head of element.querySelectorAll(".code-head, .answer-table > button")) head.remove();
  return element.innerHTML;
};
const renderers = {
  console(blocks) {
    const element = document.createElement("div");
    render(h(Blocks, { blocks, conversationId: "c", messageId: "m", onOpenCitation() {} }), element);
    return htmlOf(element);
  },
  widget(blocks) {
    const element = document.createElement("div");
    element.append(...blockElements(blocks, texts, markdown).map((each) => each.render()));
    return htmlOf(element);
  },
};
globalThis.renderAll = (name, answers) => answers.map(renderers[name]);
`;

async function bundleProgram(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: join(import.meta.dirname, "../..") },
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

let server: PageServer;
let browser: Awaited<ReturnType<typeof startBrowser>>;

beforeAll(async () => {
  [server, browser] = await Promise.all([startPageServer(), startBrowser()]);
  server.pages.set("/", { html: "<!doctype html><title>Markdown</title>" });
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

it.each(["console", "widget"])(`%s shows ${markdownCorpus.length} samples of Markdown as expected`, async (name) => {
  const page = await browser.newPage();
  await page.goto(server.origin);
  await page.addScriptTag({ content: await bundleProgram() });
  const answers = markdownCorpus.map(([, markdown]) => parseBlocks(markdown));
  const pages = await page.evaluate(
    ([renderer, content]) =>
      (globalThis as unknown as { renderAll(name: unknown, answers: unknown): string[] }).renderAll(renderer, content),
    [name, answers] as const,
  );
  const shown = markdownCorpus.map(([kind, markdown], index) => [
    kind,
    markdown,
    tidy(normalize(parseFragment(pages[index] ?? "") as unknown as ParsedNode)),
  ]);
  expect(shown).toEqual(markdownCorpus.map(([kind, markdown, expected]) => [kind, markdown, tidy(expected)]));
});
