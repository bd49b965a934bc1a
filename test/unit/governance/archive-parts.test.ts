import { expect, it } from "vitest";
import {
  type ArchivedFile,
  collectArchivedFiles,
  firstPart,
  MAX_PART_BYTES,
  MAX_PART_FILES,
  placeFiles,
  toArchivePath,
} from "#shared/governance/exports/archive-parts.ts";
import type { ExportRecord } from "#shared/governance/exports/exported-contents.ts";

const attachment = (id: string, size: number, file_name = "a.txt"): ExportRecord => ({
  kind: "attachment",
  data: {
    id,
    conversation_id: "c",
    message_id: "m",
    file_name,
    media_type: "text/plain",
    size,
    created_at: "2026-11-26T00:00:00.000Z",
    text: 'not a line\n{"kind":"attachment"}',
  },
});

const partsOf = (records: readonly ExportRecord[]) =>
  records.map(({ data }) => (data as { archive?: { part: number } }).archive?.part);

it("placeFiles() begins a new part before the files of the current part exceed the maximum size", () => {
  const third = MAX_PART_BYTES / 3;
  const first = placeFiles([attachment("1", third), attachment("2", third)], firstPart);
  const note = { kind: "note", data: {} };
  const second = placeFiles([note, attachment("3", third), attachment("4", 1), attachment("5", 9)], first.state);
  expect(partsOf([...first.records, ...second.records])).toEqual([1, 1, undefined, 1, 2, 2]);
  expect(second.state).toEqual({ part: 2, files: 2, bytes: 10 });
});

it("placeFiles() begins a new part when the current part has the maximum number of files", () => {
  const { records } = placeFiles([attachment("1", 1), attachment("2", 1)], {
    ...firstPart,
    files: MAX_PART_FILES - 1,
  });
  expect(partsOf(records)).toEqual([1, 2]);
});

it("placeFiles() places a file that is larger than a part alone", () => {
  const { records } = placeFiles([attachment("1", MAX_PART_BYTES + 1), attachment("2", 1)], firstPart);
  expect(partsOf(records)).toEqual([1, 2]);
});

it.each([
  ["Übersicht 😀.png", "files/1/Übersicht 😀.png"],
  ["../../etc/passwd", "files/1/.._.._etc_passwd"],
  ["..", "files/1/_"],
  ["C:\\boot.ini\u0000", "files/1/C__boot.ini_"],
  ["a\ud800", "files/1/a\ufffd"],
])("toArchivePath() returns a path inside the file's own folder for the name %j", (file_name, path) => {
  expect(toArchivePath({ id: "1", file_name })).toBe(path);
});

it("collectArchivedFiles() finds the files of a part in lines that are split at any position between segments", async () => {
  const names = ["One.txt", 'Two {"kind":"attachment".txt', "Three.txt"];
  const { records } = placeFiles(
    names.map((name, index) => attachment(String(index), index === 2 ? MAX_PART_BYTES : 1, name)),
    firstPart,
  );
  const text = [{ kind: "archive", data: {} }, ...records].map((record) => `${JSON.stringify(record)}\n`).join("");
  async function* segments() {
    for (let start = 0; start < text.length; start += 37) yield text.slice(start, start + 37);
  }
  for (const [part, expected] of [
    [1, names.slice(0, 2)],
    [2, names.slice(2)],
  ] as const) {
    const found: ArchivedFile[] = [];
    let passed = "";
    for await (const segment of collectArchivedFiles(segments(), part, found)) passed += segment;
    expect(passed).toBe(text);
    expect(found.map(({ file_name }) => file_name)).toEqual(expected);
  }
});
