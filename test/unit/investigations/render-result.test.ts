import { fromMarkdown } from "mdast-util-from-markdown";
import { toString as toText } from "mdast-util-to-string";
import { expect, it } from "vitest";
import type { InvestigationResult } from "#shared/api/investigations/investigations.ts";
import { renderResult } from "#shared/chat/investigation/render-result.ts";

const result: InvestigationResult = {
  version: 1,
  verdict: "inconclusive",
  cause: null,
  summary: "No cause was found.",
  hypotheses: [],
  discarded: [],
  observations: [],
  timeline: [],
  next_steps: [],
  runbook: null,
  tool_calls: 0,
};

it.each(["- nested", "+ nested", "* nested", "1. nested", "12) nested", "---", "~~~ sh", "# nested", "> nested"])(
  "renderResult() shows the next step %j as plain text in its list item",
  (text) => {
    const markdown = renderResult({ ...result, next_steps: [{ text, command: null, link: null, observation: null }] });
    const list = fromMarkdown(markdown).children.find(({ type }) => type === "list");
    expect(list).toMatchObject({ children: [{ children: [{ type: "paragraph", children: [{ type: "text" }] }] }] });
    expect(toText(list)).toBe(text);
  },
);
