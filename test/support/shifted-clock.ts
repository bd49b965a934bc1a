import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Returns the Node option that shifts the clock of an instance and all its functions into the future. */
export function shiftedClock(offsetMs: number): string {
  const code = `
    const realNow = Date.now;
    globalThis.Date = class extends Date {
      constructor(...args) {
        super(...(args.length === 0 ? [realNow() + ${offsetMs}] : args));
      }
      static now() {
        return realNow() + ${offsetMs};
      }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

/** Time for which a process keeps the offset that it has read, in milliseconds. */
const OFFSET_LIFETIME_MS = 5;

/**
 * Returns the Node option that shifts the clock of an instance and all its functions by the milliseconds in a file, which can
 * change while the instance runs.
 */
function adjustableClock(file: string): string {
  const code = `
    import { readFileSync } from "node:fs";
    const realNow = Date.now;
    let [readAt, offset] = [0, 0];
    const now = () => {
      const time = realNow();
      if (time - readAt > ${OFFSET_LIFETIME_MS}) [readAt, offset] = [time, Number(readFileSync(${JSON.stringify(file)}, "utf8"))];
      return time + offset;
    };
    globalThis.Date = class extends Date {
      constructor(...args) {
        super(...(args.length === 0 ? [now()] : args));
      }
      static now() {
        return now();
      }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

/** Clock of an instance that a test moves, so that no test waits for time to pass. */
export interface MovableClock {
  /** Option for the Node process of the instance. */
  readonly nodeOption: string;
  /** Moves the clock, and returns when every process shows the new time. */
  advance(ms: number): void;
}

/** Creates a clock for the tests of a file that shows the current time until it is moved. */
export function createMovableClock(): MovableClock {
  const directory = mkdtempSync(join(tmpdir(), "clock-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "offset");
  let offsetMs = 0;
  writeFileSync(file, "0");
  return {
    nodeOption: adjustableClock(file),
    advance(ms) {
      offsetMs += ms;
      // Renamed, because a process that reads while the file is written would see no offset.
      writeFileSync(`${file}.new`, String(offsetMs));
      renameSync(`${file}.new`, file);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * OFFSET_LIFETIME_MS);
    },
  };
}
