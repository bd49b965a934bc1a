import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Creates a deterministic source of random numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Slots = ReadonlyMap<string, readonly string[]>;

const read = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8");
const toLines = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

function readSlots(): Slots {
  return new Map(
    toLines(read("slots.txt")).map((line) => {
      const colon = line.indexOf(":");
      return [
        line.slice(0, colon),
        line
          .slice(colon + 1)
          .split(" | ")
          .map((word) => word.trim()),
      ] as const;
    }),
  );
}

const choices = /\{([^{}]*)\}/;
const escapes: Readonly<Record<string, string>> = { "\\{": "\ue000", "\\}": "\ue001", "\\|": "\ue002", "\\n": "\n" };
const unescapes: Readonly<Record<string, string>> = { "\ue000": "{", "\ue001": "}", "\ue002": "|" };

function fill(template: string, slots: Slots, next: () => number): string {
  const pick = (options: readonly string[]) => options[Math.floor(next() * options.length)] ?? "";
  let text = template.replace(/\\[{}|n]/g, (sequence) => escapes[sequence] ?? sequence);
  for (let match = choices.exec(text); match; match = choices.exec(text)) {
    text = text.slice(0, match.index) + pick((match[1] ?? "").split("|")) + text.slice(match.index + match[0].length);
  }
  return text
    .replace(/<([a-z]+)>/g, (slot, name) => {
      const options = slots.get(name);
      return options ? pick(options) : slot;
    })
    .replace(/[\ue000-\ue002]/g, (char) => unescapes[char] ?? char)
    .replace(/ ([,;.?!])/g, "$1")
    .replace(/ {2,}/g, " ")
    .trim();
}

/**
 * Expands the templates of a file. `*12 {Hi|Hello} <job>` yields up to 24 distinct random texts, each with one of the
 * words in braces and one value of the slot in `slots.txt`; a line without a number yields up to two.
 */
export function expandTemplates(name: string, next: () => number): string[] {
  const slots = readSlots();
  const texts = toLines(read(name)).flatMap((line) => {
    const [, count = "1", template = ""] = /^(?:\*(\d+) )?(.*)$/.exec(line) ?? [];
    return Array.from({ length: Number(count) * 2 }, () => fill(template, slots, next));
  });
  return [...new Set(texts)];
}
