import { describe, expect, it } from "vitest";
import { splitItemLines } from "../../../functions/web/console/assistants/evaluations/split-lines.ts";
import { parseLines } from "../../../shared/evaluations/parse-lines.ts";

const questionsOf = (format: "csv" | "jsonl", text: string) =>
  parseLines({ format, text }).map((entry) => ("item" in entry ? entry.item.question : null));

describe("splitItemLines()", () => {
  it("splitItemLines() numbers the lines of JSON Lines and leaves out empty ones", () => {
    expect(splitItemLines("jsonl", '{"question": "One?"}\r\n\n  \n{"question": "Two?"}').lines).toEqual([
      { number: 1, text: '{"question": "One?"}' },
      { number: 4, text: '{"question": "Two?"}' },
    ]);
  });

  it("splitItemLines() keeps rows of CSV with line breaks in quoted values together, by the number of their first line", () => {
    const { head, lines } = splitItemLines(
      "csv",
      'question,note\n"One\n""two"", three?",x\n,\nA 5" screen?,y\n"Last?"',
    );
    expect(head).toBe("sep=,\nquestion,note\n");
    expect(lines.map(({ number }) => number)).toEqual([2, 5, 6]);
    expect(questionsOf("csv", head + lines.map(({ text }) => text).join("\n"))).toEqual([
      'One\n"two", three?',
      'A 5" screen?',
      "Last?",
    ]);
  });

  it("splitItemLines() sends each row of CSV as the whole file would be read, one by one", () => {
    for (const delimiter of [";", ",", "\t", "|"]) {
      const rows = [
        ["Was, bitte?", "a;b"],
        ['"Zitat"', ""],
        ["料金はいくらですか", "x|y"],
        ["", "no question"],
      ];
      const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;
      const text = [["question", "note"], ...rows].map((row) => row.map(quote).join(delimiter)).join("\r\n");
      const { head, lines } = splitItemLines("csv", text);
      expect(lines.flatMap((line) => questionsOf("csv", head + line.text))).toEqual([
        ...rows.slice(0, 3).map(([question]) => question),
        null,
      ]);
    }
  });

  it("splitItemLines() reads a single column whose values have commas, and the delimiter that Excel declares", () => {
    const single = splitItemLines("csv", "question\nHello, what is it?\nHello, who is it?");
    expect(questionsOf("csv", single.head + single.lines.map(({ text }) => text).join("\n"))).toEqual([
      "Hello, what is it?",
      "Hello, who is it?",
    ]);
    const declared = splitItemLines("csv", "sep=;\nquestion;note\nWhat?;x,y");
    expect(declared).toMatchObject({ head: "sep=;\nquestion;note\n", lines: [{ number: 3, text: "What?;x,y" }] });
  });
});
