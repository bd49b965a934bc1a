import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { fromBufferPromise } from "yauzl";
import { streamZip, type ZipEntry } from "#shared/governance/exports/zip-stream.ts";

const modifiedAt = new Date("2026-11-26T10:20:30Z");

async function* iterate<T>(items: readonly T[]) {
  yield* items;
}

async function writeZip(entries: readonly ZipEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamZip(iterate(entries))) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads an archive with a library, which compares CRC and sizes. */
async function readZip(archive: Buffer) {
  const zip = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true });
  const files: { name: string; time: string; content: Buffer }[] = [];
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const time = entry.getLastModDate({ timezone: "UTC" }).toISOString();
    files.push({ name: entry.fileName, time, content: Buffer.concat(chunks) });
  }
  return files;
}

it("streamZip() writes bytes and streams of text that a library reads", async () => {
  const binary = randomBytes(200_000);
  const text = ["größer\n".repeat(20_000), "", "😀".repeat(9)];
  const archive = await writeZip([
    { path: "records.ndjson", modifiedAt, content: iterate(text) },
    { path: "files/1/Übersicht 😀.png", modifiedAt, content: iterate([binary.subarray(0, 9), binary.subarray(9)]) },
    { path: "files/2/empty.txt", modifiedAt, content: iterate([]) },
  ]);
  expect(await readZip(archive)).toEqual([
    { name: "records.ndjson", time: modifiedAt.toISOString(), content: Buffer.from(text.join("")) },
    { name: "files/1/Übersicht 😀.png", time: modifiedAt.toISOString(), content: binary },
    { name: "files/2/empty.txt", time: modifiedAt.toISOString(), content: Buffer.alloc(0) },
  ]);
  expect(archive.length).toBeLessThan(210_000);
});

it("streamZip() requests an entry only after the entries before it were passed on", async () => {
  const requested: number[] = [];
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (let index = 0; index < 3; index++) {
      requested.push(index);
      yield { path: `${index}`, modifiedAt, content: iterate([randomBytes(200_000)]) };
    }
  }
  let bytes = 0;
  for await (const chunk of streamZip(entries())) {
    bytes += chunk.length;
    expect(chunk.length).toBeLessThanOrEqual(65_536);
    expect(requested.length).toBeLessThanOrEqual(Math.ceil(bytes / 200_000) + 1);
  }
});

it("streamZip() throws the error of a stream of text", async () => {
  async function* broken() {
    yield "a";
    throw new Error("gone");
  }
  await expect(writeZip([{ path: "a", modifiedAt, content: broken() }])).rejects.toThrow("gone");
});
