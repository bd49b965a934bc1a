import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { createSite } from "#test/support/embed/site.ts";
import { streamText } from "#test/support/models/upstream.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { persona, setUpWidgetSuite, shopPage } from "./widget-suite.ts";

const suite = setUpWidgetSuite();
const directory = join(import.meta.dirname, "../../../functions/web/widget/package");

/** Bundles a program that uses the package, with Preact in place of React. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: directory },
    bundle: true,
    write: false,
    format: "iife",
    alias: { react: "preact/compat" },
  });
  return outputFiles[0]?.text ?? "";
}

it("React component renders the website widget, calls the latest listeners, and starts another widget for other settings", async () => {
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona });
  suite.upstream.script = streamText(["All done."]);
  const program = await bundle(`
    import { createElement, render } from "react";
    import { AssistantChat } from "./react.js";
    window.heard = [];
    window.chatRef = { current: null };
    const hear = (name, round) => (detail) => heard.push([round, name, detail?.text ?? null]);
    window.draw = (round, props) =>
      render(
        props && createElement(AssistantChat, {
          baseUrl: ${JSON.stringify(suite.service.baseUrl)},
          embedKey: ${JSON.stringify(site.key.key)},
          chatRef,
          onOpen: hear("open", round),
          onMessage: hear("message", round),
          onError: hear("error", round),
          ...props,
        }),
        document.getElementById("root"),
      );
    draw(1, {});
  `);
  suite.pages.pages.set("/react", { html: `${shopPage("")}<div id="root"></div><script>${program}</script>` });
  const { page, pageErrors } = await suite.visit({ site });
  await page.goto(`${suite.pages.origin}/react`);
  await page.locator("assistant-chat .launcher").waitFor();
  await page.evaluate("draw(2, {})");
  await page.waitForFunction("chatRef.current !== null");
  await page.evaluate("chatRef.current.send('From React')");
  await page.getByRole("log").getByText("All done.").waitFor();
  const heard = [
    [2, "open", null],
    [2, "message", "From React"],
    [2, "message", "All done."],
  ];
  await expect.poll(() => page.evaluate("heard")).toEqual(heard);
  const handover = page.getByRole("button", { name: "Talk to a person" });
  expect(await handover.count()).toBe(0);
  await page.evaluate("draw(3, { onHandover() {} })");
  await handover.waitFor();
  await page.evaluate("window.first = chatRef.current; draw(4, { locale: 'de' })");
  await page.waitForFunction("chatRef.current !== null && chatRef.current !== first");
  expect(await page.locator("assistant-chat").count()).toBe(1);
  await page.evaluate("draw(5, null)");
  expect(await page.locator("assistant-chat").count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

it("npm package of the widget mounts an element, says that a service cannot be reached, and has the version of the service", async () => {
  const site = await createSite(suite.admin, { origin: suite.pages.origin, persona });
  const program = await bundle(`
    import { loadAssistantChat, mountAssistantChat } from "./index.js";
    Object.assign(window, { loadAssistantChat, mountAssistantChat });
  `);
  const headers = { "content-security-policy": "require-trusted-types-for 'script'; trusted-types assistant-chat" };
  suite.pages.pages.set("/element", { html: `${shopPage("")}<script>${program}</script>`, headers });
  const { page } = await suite.visit({ site });
  await page.goto(`${suite.pages.origin}/element`);
  const load = (baseUrl: string) =>
    page.evaluate(
      (url) => (window as never as Record<string, (url: string) => Promise<void>>).loadAssistantChat?.(url),
      baseUrl,
    );
  await expect(load("http://127.0.0.1:9")).rejects.toThrow(
    "The widget cannot be loaded from http://127.0.0.1:9/v1/embed",
  );
  await Promise.all([load(suite.service.baseUrl), load(suite.service.baseUrl)]);
  expect(await page.locator("script[src]").count()).toBe(1);
  const settings = { baseUrl: suite.service.baseUrl, embedKey: site.key.key, position: "start" };
  await page.evaluate(`mountAssistantChat(${JSON.stringify(settings)}).open()`);
  await page.locator("assistant-chat[position=start] .panel").waitFor();
  const { version } = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  expect(version).toBe(packageJson.version);
});
