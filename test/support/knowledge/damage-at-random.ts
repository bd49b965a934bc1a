import { seededRandom } from "#test/support/seeded-random.ts";

const repeatedStarts = ["{\\bin4000000000 ", "{{{{", "}", "<text:p>", '<text:s text:c="2000000000"/>', "\\u-99999?"];
const extremes = [0, -1, 1, 0x7fff_ffff, -2, 0xffff];

/** Returns a copy of a file with one to six random faults: bytes, lengths, missing and repeated parts, foreign markup. */
export function damageAtRandom(file: Uint8Array, seed: number): Uint8Array {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  let damaged = Buffer.from(file);
  const faults: ((at: number, part: Buffer) => void)[] = [
    (at) => damaged.writeUInt8(below(256), at),
    (at) => at + 4 <= damaged.length && damaged.writeInt32LE(extremes[below(extremes.length)] ?? 0, at),
    (at, part) => (damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + part.length)])),
    (at, part) => (damaged = Buffer.concat([damaged.subarray(0, at), ...Array(40).fill(part), damaged.subarray(at)])),
    (at) => {
      const markup = Buffer.from(repeatedStarts[below(repeatedStarts.length)] ?? "");
      damaged = Buffer.concat([damaged.subarray(0, at), markup, damaged.subarray(at)]);
    },
    (at) => (damaged = damaged.subarray(0, Math.max(16, at))),
  ];
  for (let count = 1 + below(6); count > 0; count--) {
    const at = below(damaged.length);
    faults[below(faults.length)]?.(at, Buffer.from(damaged.subarray(at, at + below(2_048))));
  }
  return damaged;
}
