/** The option of Node for an instance whose clock, and that of all its functions, is ahead: hours are tested in seconds. */
export function clockAhead(milliseconds: number): string {
  const code = `
    const present = Date.now;
    globalThis.Date = class extends Date {
      constructor(...given) {
        super(...(given.length === 0 ? [present() + ${milliseconds}] : given));
      }
      static now() {
        return present() + ${milliseconds};
      }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}
