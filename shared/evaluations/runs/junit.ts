import type { TestColumn } from "../../api/evaluations/test-runs.ts";
import type { StoredResult } from "./result-store.ts";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
const invalidCharacters = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escapeXml = (text: string) =>
  text
    .toWellFormed()
    .replace(invalidCharacters, "")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "");

const attributes = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(3);

function testCase(suite: string, { item_id, question, error, scores, duration_ms, text }: StoredResult): string {
  const start = `<testcase${attributes({ classname: suite, name: `${question} (${item_id})`, time: seconds(duration_ms) })}`;
  if (error) return `${start}><error${attributes({ type: error.code, message: error.message })}/></testcase>`;
  const missed = scores
    .filter(({ passed }) => !passed)
    .map(({ type, detail }) => (detail ? `${type} (${detail})` : type));
  if (missed.length === 0) return `${start}/>`;
  const failure = attributes({ type: "expectation", message: `Not fulfilled: ${missed.join(", ")}` });
  return `${start}><failure${failure}>${escapeXml(text)}</failure></testcase>`;
}

const nameOf = ({ version, model }: TestColumn) => `version ${version}${model === null ? "" : ` with ${model}`}`;

/** Formats the results of a run as JUnit XML, with a suite for each column. */
export function toJunitXml(name: string, columns: readonly TestColumn[], results: readonly StoredResult[]): string {
  const suites = columns.map((column, index) => {
    const own = results.filter((result) => result.column === index);
    const failures = own.filter(({ error, score }) => error === null && score < 1).length;
    const counts = { tests: own.length, failures, errors: own.filter(({ error }) => error !== null).length };
    const time = seconds(own.reduce((sum, { duration_ms }) => sum + duration_ms, 0));
    const suite = nameOf(column);
    return `<testsuite${attributes({ name: suite, ...counts, time })}>${own.map((result) => testCase(suite, result)).join("")}</testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name })}>${suites.join("")}</testsuites>\n`;
}
