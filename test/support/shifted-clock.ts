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
