/**
 * Measures the CPU time of the guardrails next to a plain copy of the same text, alternating in one run: the local check of
 * questions of 1 KB and 1 MB, and the redaction of an answer that streams word by word. The text consists of the guides of
 * this repository: prose with code, addresses and numbers. `npm run bench -- guardrails`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { linkFormats } from "#shared/guardrails/links/link-formats.ts";
import { localDetector } from "#shared/guardrails/local/local-detector.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";

const guides = new URL("../../docs/guides/", import.meta.url);
const prose = readdirSync(guides)
  .filter((name) => name.endsWith(".md"))
  .map((name) => readFileSync(new URL(name, guides), "utf8"))
  .join("\n");
const kilobyte = prose.slice(5_000, 6_024);
const megabyte = prose.repeat(Math.ceil(2 ** 20 / prose.length)).slice(0, 2 ** 20);
const words = prose.match(/\s*\S+/g) ?? [];

const detector = localDetector(defaultGuardrailPolicy);
const check = (text: string) => detector.detect({ text, place: "question", stage: "input" });

async function streamed(): Promise<void> {
  const formats = linkFormats({ hosts: new Set(), allowedHosts: [], prompt: "", privateTexts: [] });
  const redactor = new StreamingRedactor(defaultGuardrailPolicy, { formats, canary: "b5b0e9a7c2d14f60" });
  for (const word of words) redactor.push(word);
  redactor.end();
}

const copy = (text: string) => async () => void Buffer.from(text).toString();

/** Work of one kind: its repetitions in a round, and the units of which one repetition consists. */
interface Work {
  readonly title: string;
  readonly unit: string;
  readonly repetitions: number;
  readonly units: number;
  readonly run: () => Promise<unknown>;
}

const works: readonly Work[] = [
  { title: "copy of 1 KB", unit: "ms", repetitions: 2_000, units: 0.001, run: copy(kilobyte) },
  { title: "check of 1 KB", unit: "ms", repetitions: 200, units: 0.001, run: () => check(kilobyte) },
  { title: "copy of 1 MB", unit: "ms", repetitions: 5, units: 0.001, run: copy(megabyte) },
  { title: "check of 1 MB", unit: "ms", repetitions: 1, units: 0.001, run: () => check(megabyte) },
  { title: "redaction of a streamed word", unit: "µs", repetitions: 1, units: words.length / 1e6, run: streamed },
];

const ROUNDS = 11;

const times = new Map(works.map((work) => [work, [] as number[]]));
for (let round = 0; round < ROUNDS; round++) {
  for (const work of works) {
    const startedAt = process.cpuUsage();
    for (let repetition = 0; repetition < work.repetitions; repetition++) await work.run();
    const { user, system } = process.cpuUsage(startedAt);
    times.get(work)?.push((user + system) / 1e6 / work.repetitions / work.units);
  }
}
for (const [{ title, unit }, measured] of times) {
  const median = measured.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  console.log(`${title.padEnd(32)} ${median.toFixed(4)} ${unit}`);
}
