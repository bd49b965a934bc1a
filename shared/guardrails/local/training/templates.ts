import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A source of numbers from 0 to 1 that is the same on every run (mulberry32). */
export function numbersFrom(seed: number): () => number {
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
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

function readSlots(): Slots {
  return new Map(
    linesOf(read("slots.txt")).map((line) => {
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
  let text = template.replace(/\\[{}|n]/g, (sign) => escapes[sign] ?? sign);
  for (let found = choices.exec(text); found; found = choices.exec(text)) {
    text = text.slice(0, found.index) + pick((found[1] ?? "").split("|")) + text.slice(found.index + found[0].length);
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
 * The texts of a file of templates. `*12 {Hi|Hello} <job>` gives twelve texts at random: one of the words in braces,
 * one value of a slot from `slots.txt`; a line without a number is a text as it stands, or one of its choices.
 */
export function textsOf(name: string, next: () => number): string[] {
  const slots = readSlots();
  const texts = linesOf(read(name)).flatMap((line) => {
    const [, count = "1", template = ""] = /^(?:\*(\d+) )?(.*)$/.exec(line) ?? [];
    return Array.from({ length: Number(count) * 2 }, () => fill(template, slots, next));
  });
  return [...new Set(texts)];
}
