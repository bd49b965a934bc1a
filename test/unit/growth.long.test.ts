import { describe, expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { quote, withoutQuotations } from "#shared/chat/context/quote.ts";
import { linkFormats } from "#shared/guardrails/links/link-formats.ts";
import { findAddressedHosts } from "#shared/guardrails/links/read-addresses.ts";
import { sanitizeUntrusted } from "#shared/guardrails/sanitize-untrusted.ts";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";
import { compileFormat, SensitiveReader } from "#shared/guardrails/sensitive-pattern.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";
import { findExpressions, worstTexts } from "#test/support/growth/expressions.ts";
import { cpuTimeMs, growthFactor, MAX_GROWTH } from "#test/support/growth/growth.ts";
import { sized } from "#test/support/run-size.ts";

/** Expressions that take quadratic time and only see text of this project, with that text. */
const ownText: Readonly<Record<string, string>> = {
  "\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]": "sources of the project's own expressions",
  "(\\d+)([nac])": "structures of account numbers in the project's own table",
};

/** Lengths from which a text grows eightfold, after `first`. The last one of `npm run test:soak` reaches 1 MiB. */
const lengthsFrom = (first: number) =>
  sized({ usual: [first], full: [first, 8 * first], soak: [first, 8 * first, 131_072] });
const timeout = sized({ usual: 120_000, full: 1_800_000 });

/** Returns the text lengths from which the CPU time of an action grows faster than linear work. */
async function findFastGrowth(
  run: (text: string) => unknown,
  createText: (length: number) => string,
  lengths: readonly number[],
  minMs = 20,
) {
  for (const length of lengths) {
    const factor = await growthFactor(run, createText, length, minMs);
    if (factor >= MAX_GROWTH) return `${length} characters: ${factor.toFixed(1)}`;
  }
  return undefined;
}

/** Number of texts of an expression that grow to 1 MiB: superlinear work is the slowest of all at a sixteenth of it. */
const SLOWEST_TEXTS = sized({ usual: 0, full: 0, soak: 6 });

async function findSlowest(
  run: (text: string) => unknown,
  texts: readonly ((length: number) => string)[],
  length: number,
) {
  const times = new Map<(length: number) => string, number>();
  for (const createText of texts) {
    const text = createText(length);
    times.set(createText, await cpuTimeMs(() => run(text), 1));
  }
  return [...texts].sort((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0)).slice(0, SLOWEST_TEXTS);
}

it("regular expression in the sources takes linear time for its worst texts, unless it only sees text of the project", {
  timeout,
}, async () => {
  const slow: string[] = [];
  for (const expression of findExpressions(["shared", "functions"])) {
    const { file, pattern, flags } = expression;
    // Sticky expressions do not search.
    const global = new RegExp(pattern, `${flags.replace("g", "")}g`);
    const run = (text: string) => text.replace(global, "");
    const texts = worstTexts(expression);
    const slowest = new Set(SLOWEST_TEXTS > 0 ? await findSlowest(run, texts, 65_536) : []);
    for (const createText of texts) {
      const lengths = slowest.has(createText) ? lengthsFrom(1_024) : [1_024];
      const growth = await findFastGrowth(run, createText, lengths, 8);
      if (!growth) continue;
      slow.push(
        pattern in ownText ? pattern : `${file}: /${pattern}/ with ${JSON.stringify(createText(40))} (${growth})`,
      );
      break;
    }
  }
  expect(slow.sort()).toEqual(Object.keys(ownText).sort());
});

const privateText = "The user is Alice Johnson, door code B4829X. ".repeat(200);
const formats = linkFormats({
  hosts: new Set(),
  allowedHosts: [],
  prompt: privateText,
  privateTexts: [{ text: privateText, minCharacters: 24 }],
});
const links = new SensitiveReader(formats.map(compileFormat));

/** Functions that see text of users, models and other systems. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "search for addressed hosts": findAddressedHosts,
  "search for unsafe links": (text) => links.findSpans(text),
  "search for sensitive data": (text) => findSensitiveSpans(text),
  "redaction of a stream"(text) {
    const redactor = new StreamingRedactor(defaultGuardrailPolicy, { formats, canary: "0123456789abcdef01" });
    for (let start = 0; start < text.length; start += 37) redactor.push(text.slice(start, start + 37));
    redactor.end();
  },
  "removal of hidden text": sanitizeUntrusted,
  "quotation of untrusted text": (text) => withoutQuotations(quote("source", { title: "x" }, text)),
};

const fragments = [
  `${"a".repeat(60)}.`,
  "a.",
  "[",
  "![",
  "](",
  "[a](x",
  "[[a]",
  "(https://a.b",
  "'https://a.b/?q=1'",
  "(a.com/",
  "\\\\",
  "<",
  "<   ",
  "<img ",
  '<img a="b" ',
  "<style>",
  ' style="',
  "href=",
  "&bsol;",
  "]: ",
  "mailto:a",
  "password=",
  "eyJ",
  "sha512-",
  "1234 ",
  "a_b.",
  "\n\n",
  "<!--",
  '<div style="display:none">',
  "<p hidden>",
  "\u200d",
];

describe.each(Object.entries(readers))("%s", { timeout }, (name, read) => {
  it.each(fragments)(`search in a text takes linear time in ${name} for a text of %j`, async (fragment) => {
    const createText = (size: number) => fragment.repeat(Math.ceil(size / fragment.length));
    expect(await findFastGrowth(read, createText, lengthsFrom(4_096))).toBeUndefined();
  });

  it(`search in a text takes linear time in ${name} for spaces after an angle bracket`, async () => {
    expect(await findFastGrowth(read, (size) => `<${" ".repeat(size)}`, lengthsFrom(4_096))).toBeUndefined();
  });
});
