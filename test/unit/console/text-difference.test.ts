import { describe, expect, it } from "vitest";
import { seededRandom } from "#test/support/seeded-random.ts";
import {
  compareTexts,
  type DifferencePart,
} from "../../../functions/web/console/assistants/versions/text-difference.ts";

const sideOf = (parts: readonly DifferencePart[], kind: DifferencePart["kind"]) =>
  parts.flatMap((part) => (part.kind === kind || part.kind === "same" ? [part.text] : [])).join("");

const markUp = (before: string, after: string, locale = "en") =>
  compareTexts(before, after, locale)
    .map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind])
    .join("");

describe("compareTexts()", () => {
  it.each([
    ["", "", ""],
    ["", "New.", "{+New.+}"],
    ["Old.", "", "[-Old.-]"],
    ["Same.\n", "Same.\n", "Same.\n"],
    ["Be brief.", "Be kind.", "Be [-brief-]{+kind+}."],
    ["Answer.\nCite.\nStop.", "Answer.\nCite two sources.\nStop.", "Answer.\nCite{+ two sources+}.\nStop."],
    ["One.\nTwo.\nThree.\n", "One.\nThree.\n", "One.\n[-Two.\n-]Three.\n"],
    ["One.\nThree.\n", "Zero.\nOne.\nTwo.\nThree.\n", "{+Zero.\n+}One.\n{+Two.\n+}Three.\n"],
    ["أجب بإيجاز.", "أجب بلطف.", "أجب [-بإيجاز-]{+بلطف+}."],
  ])("compareTexts() shows what changed from %j to %j", (before, after, expected) => {
    expect(markUp(before, after)).toBe(expected);
  });

  it("compareTexts() tells words of languages without spaces apart", () => {
    expect(markUp("簡潔に答えてください。", "丁寧に答えてください。", "ja")).toBe("[-簡潔-]{+丁寧+}に答えてください。");
  });

  it("compareTexts() contains both texts whole after any change", () => {
    const random = seededRandom(7);
    const pick = (count: number) => Math.floor(random() * count);
    const words = ["a", "b", "the", "\n", " ", "  ", "café", "👩‍🚀", ".", "答え", "\r\n"];
    const text = () => Array.from({ length: pick(60) }, () => words[pick(words.length)]).join("");
    for (let n = 0; n < 500; n++) {
      const before = text();
      const after =
        n % 2 === 0 ? text() : before.slice(0, pick(before.length)) + text() + before.slice(pick(before.length));
      const parts = compareTexts(before, after, "en");
      expect([sideOf(parts, "removed"), sideOf(parts, "added")]).toEqual([before, after]);
    }
  });

  it("compareTexts() compares the longest instructions, also if all of them changed", () => {
    const long = (word: string) =>
      Array.from({ length: 16_000 / (word.length + 1) }, (_, n) => word + (n % 9 ? " " : "\n"));
    const numbered = Array.from({ length: 2_500 }, (_, n) => `x${n}${n % 9 ? " " : "\n"}`);
    const pairs = [
      [long("old"), long("new")],
      [numbered, numbered.toSpliced(1_000, 1, "y ")],
      [long("\n"), long("y")],
    ].map((pair) => pair.map((words) => words.join("").slice(0, 16_000))) as [string, string][];
    for (const [before, after] of pairs) {
      const parts = compareTexts(before, after, "en");
      expect([sideOf(parts, "removed"), sideOf(parts, "added")]).toEqual([before, after]);
    }
    expect(compareTexts(...(pairs[1] as [string, string]), "en").filter(({ kind }) => kind !== "same")).toEqual([
      { kind: "removed", text: "x1000" },
      { kind: "added", text: "y" },
    ]);
  });
});
