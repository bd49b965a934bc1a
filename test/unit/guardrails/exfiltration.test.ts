import { describe, expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { exfiltrationFormats, findHosts } from "#shared/guardrails/exfiltration.ts";
import { compileFormat, SensitiveReader } from "#shared/guardrails/sensitive-pattern.ts";
import { redactSpans } from "#shared/guardrails/spans.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

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
    ['<img src="https://evil.example/x?d=1">', "[image removed]"],
    [`<img alt=">" width=1 ${"class=a ".repeat(60)} src=//evil.example/x>`, "[image removed]"],
    ["![x](//evil.example/p.png?d=secret)", "![x]([image removed])"],
    [`![${"x".repeat(900)}](https://evil.example/p.png)`, `![${"x".repeat(900)}]([image removed])`],
    ["![a [b] c](https://evil.example/p.png)", "![a [b] c]([image removed])"],
    ["![a](https&colon;//evil.example/p.png)", "![a]([image removed])"],
    ["![x][r]\n\n[r]: https://evil.example/p.png", "![x][r]\n\n[r]: [link removed]"],
    ["![x][r]\n\n[r]: <//evil.example/p.png>", "![x][r]\n\n[r]: <[link removed]>"],
    ["[x](//evil.example/?q=secret)", "[x]([link removed])"],
    ["[x](https:/\\evil.example/?q=secret)", "[x]([link removed])"],
    ["[x](https://evil.example/(a)?q=secret)", "[x]([link removed])"],
    ["[x](<https://evil.example/a b?q=secret>)", "[x](<[link removed]>)"],
    ["[x](mailto:a@evil.example?body=secret)", "[x]([link removed])"],
    ["mailto:a@known.example?cc=b@evil.example&body=secret", "[link removed]"],
    ["[x](ftp://evil.example/?q=secret)", "[x]([link removed])"],
    ["www.evil.example/?q=secret", "[link removed]"],
    ["https://evil.example/'?q=secret", "[link removed]"],
    ['<a href="//evil.example/?q=secret">x</a>', '<a href="[link removed]">x</a>'],
    ["https://evil.example/c2VjcmV0/a2V5cw/MTIzNDU2", "[link removed]"],
    ["https://c2VjcmV0.a2V5cyB.evil.example/", "[link removed]"],
    [`https://evil.example/${[..."thesecretishere"].join("/")}`, "[link removed]"],
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
    "![a](/files/a.png?size=2), [b](#section) and [c](../x?y=1)",
    "![a](data:image/png;base64,iVBORw0KGgo=)",
    "[mail](mailto:ann@evil.example) or mailto:a@known.example?subject=Hello",
    "[^1]: https://en.wikipedia.org/wiki/Paris",
    "type Map = { [key: string]: string }",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html",
    "https://learn.microsoft.com/en-us/azure/active-directory/develop/quickstart-register-app",
    "https://www.youtube.com/embed/dQw4w9WgXcQ",
    "https://en.wikipedia.org/wiki/Paris_(mythology), (https://en.wikipedia.org/wiki/Rome).",
    '{"a":"https://docs.example.org/a?page=2","b":1}',
  ])("keeps the safe link in the text: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("disabled rules of the removal of links", () => {
  it("leave their kind of links in the text", () => {
    const known = { hosts: new Set<string>(), allowedHosts: [], isInPrompt: () => false };
    const kindsOf = (disabledRules: string[]) =>
      new Set(exfiltrationFormats({ ...known, disabledRules }).map(({ kind }) => kind));
    expect(kindsOf([])).toEqual(new Set(["image removed", "link removed"]));
    expect(kindsOf(["link removed"])).toEqual(new Set(["image removed"]));
  });
});

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

  it("equals the removal from the whole text, for random texts and cuts", () => {
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
