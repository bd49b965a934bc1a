/** Returns the result of a promise, or null after a timeout. Leaves no timer behind when the promise settles. */
export function settleWithin<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(null), timeoutMs);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      end();
    };
    work.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
  });
}
