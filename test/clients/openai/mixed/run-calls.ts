/** Number of calls of one run. */
const CALLS = 500;

const CONCURRENT_CALLS = 8;

/** Throws an error with a message unless a condition holds. */
export function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/**
 * Makes 500 calls, alternating between the kinds, and prints a JSON line for each kind, which has passed if all of its
 * calls have. A call for which the provider returns an error on purpose passes if the client receives this error.
 * @param kinds functions that make the call with the given number, and throw an error for an unexpected result
 */
export async function runCalls(
  client: string,
  version: string,
  kinds: Readonly<Record<string, (number: number) => Promise<void>>>,
): Promise<void> {
  const names = Object.keys(kinds);
  const results = new Map(names.map((name) => [name, { calls: 0, seconds: 0, failures: [] as string[] }]));
  let next = 0;
  const work = async () => {
    while (next < CALLS) {
      const number = next++;
      const name = names[number % names.length] ?? "";
      const result = results.get(name);
      const call = kinds[name];
      if (!result || !call) continue;
      const startedAt = performance.now();
      await call(number).catch((error) => void result.failures.push(String(error?.message ?? error)));
      result.calls++;
      result.seconds += (performance.now() - startedAt) / 1_000;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_CALLS }, work));
  for (const [scenario, { calls, seconds, failures }] of results) {
    const detail =
      failures.length > 0 ? `${failures.length} of ${calls} calls: ${failures[0]?.slice(0, 400)}` : undefined;
    const passed = failures.length === 0;
    console.log(
      JSON.stringify({ client, version, scenario, passed, seconds: Math.round(seconds * 100) / 100, detail, calls }),
    );
  }
}
