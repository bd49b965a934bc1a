import { expect, it } from "vitest";
import { extractInProcess } from "#shared/files/extract-in-process.ts";
import { ExtractionError } from "#shared/files/extraction-error.ts";
import type { DocumentType } from "#shared/files/file-types.ts";
import { findChildProcesses, residentBytes } from "#test/support/child-processes.ts";
import { damageAtRandom } from "#test/support/knowledge/damage-at-random.ts";
import { hostileFiles, slowFiles } from "#test/support/knowledge/hostile-files.ts";
import { createMsg } from "#test/support/knowledge/msg.ts";
import { createOdf, createPdf } from "#test/support/knowledge/sample-files.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";

/** Returns the outcome of a file, and the most memory that this process and its children had in addition to the start. */
async function extractMeasured(file: Uint8Array, type: DocumentType) {
  const memory = () =>
    process.memoryUsage.rss() + findChildProcesses().reduce((sum, pid) => sum + residentBytes(pid), 0);
  const baseBytes = memory();
  let peakBytes = baseBytes;
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, memory());
  }, 20);
  const outcome = await extractInProcess(Uint8Array.from(file), type, 30_000).then(
    ({ segments }) => (/passwd|root:|aaaaaaaaaa|alert/.test(JSON.stringify(segments)) ? "leaked" : "harmless"),
    (error: unknown) => (error instanceof ExtractionError ? error.code : String(error)),
  );
  clearInterval(sampling);
  return { outcome, addedBytes: peakBytes - baseBytes };
}

// The function has 1.5 GB.
const MAX_ADDED_BYTES = 1_300 * 1_048_576;

const rows = "\\trowd one\\cell two\\cell\\row\\par {\\b bold} \\'e4\\u8364? text\\par ".repeat(200);
const rtf = Buffer.from(`{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}${rows}}`);
const odt = Buffer.from(
  '<text:h text:outline-level="1">One</text:h><text:p>Text<text:s text:c="3"/></text:p>'.repeat(200),
);
const msg = createMsg({ subject: "Harbor", body: "Text ".repeat(2_000), sender: "Ada", attachments: [["a.txt", "x"]] });
const damagedFormats = [
  ["rtf", (seed) => damageAtRandom(rtf, seed)],
  ["odt", (seed) => createOdf("odt", Buffer.from(damageAtRandom(odt, seed)).toString())],
  ["msg", (seed) => damageAtRandom(msg, seed)],
] as const satisfies readonly (readonly [DocumentType, (seed: number) => Uint8Array])[];

/** In usual runs a sixth of the files, because reading each starts a process, which takes half a second. */
const chosenFiles = isFullRun
  ? hostileFiles
  : hostileFiles.filter(([name]) => !slowFiles.has(name)).filter((_, index) => index % 6 === 0);

it.each(chosenFiles)(
  "malformed or hostile file is read or rejected with a known error code: %s",
  async (_, type, create, outcomes) => {
    const { outcome, addedBytes } = await extractMeasured(create(), type);
    expect(outcomes).toContain(outcome);
    expect(addedBytes).toBeLessThan(MAX_ADDED_BYTES);
  },
);

it.each(damagedFormats)(
  "malformed or hostile file is read or rejected within the limits of time and memory when it is a damaged file of the type %s",
  async (type, create) => {
    for (let seed = 1; seed <= sized({ usual: 1, full: 20, soak: 100 }); seed++) {
      const { outcome, addedBytes } = await extractMeasured(create(seed), type);
      expect(outcome, `seed ${seed}`).toMatch(
        /^(harmless|corrupt|empty|mislabeled|too_large|encrypted|too_many_pages)$/,
      );
      expect(addedBytes, `seed ${seed}`).toBeLessThan(MAX_ADDED_BYTES);
    }
  },
);

it("malformed or hostile file is rejected when reading takes longer than the time limit", async () => {
  const pages = Array.from({ length: 2_000 }, () => "Text ".repeat(2_000));
  await expect(extractInProcess(createPdf(pages), "pdf", 50)).rejects.toMatchObject({ code: "timed_out" });
});

it.runIf(process.platform === "linux").each([
  // The signal with which V8 ends a process without memory.
  ["SIGTRAP", { code: "out_of_memory" }],
  // Such an end tells nothing about the file, so that it is read again.
  ["SIGTERM", { name: "Error", message: expect.stringContaining("SIGTERM") }],
] as const)(
  "malformed or hostile file is rejected when %s ends the process that reads it",
  async (signal, expected) => {
    const pages = Array.from({ length: 2_000 }, () => "Text ".repeat(2_000));
    const before = new Set(findChildProcesses());
    const extraction = extractInProcess(createPdf(pages), "pdf");
    const failure = expect(extraction).rejects.toMatchObject(expected);
    const [reader] = findChildProcesses().filter((pid) => !before.has(pid));
    process.kill(Number(reader), signal);
    await failure;
  },
);
