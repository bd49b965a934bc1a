import { expect, it } from "vitest";
import { retry, retryRest } from "#shared/lib/retry.ts";

class Conflict extends Error {}

/** Returns work that throws the errors in turn and then returns the number of its calls. */
function failing(...errors: readonly Error[]) {
  let calls = 0;
  return async () => {
    const error = errors[calls++];
    if (error) throw error;
    return calls;
  };
}

const isRetryable = (error: unknown) => error instanceof Conflict;

it("retry repeats work after retryable errors, up to the maximum number of attempts", async () => {
  await expect(retry(failing(new Conflict(), new Error()), { maxAttempts: 3 })).resolves.toBe(3);
  const lasting = failing(new Conflict("1"), new Conflict("2"), new Conflict("3"));
  await expect(retry(lasting, { maxAttempts: 2, isRetryable })).rejects.toThrow("2");
  await expect(lasting()).rejects.toThrow("3");
});

it("retry throws the error that the caller chose after the last attempt, and errors that are not retryable at once", async () => {
  const options = { maxAttempts: 2, isRetryable, toError: () => new Error("changed concurrently") };
  await expect(retry(failing(new Conflict(), new Conflict()), options)).rejects.toThrow("changed concurrently");
  const invalid = failing(new Error("invalid"));
  await expect(retry(invalid, options)).rejects.toThrow("invalid");
  await expect(invalid()).resolves.toBe(2);
  await expect(retry(failing(new Conflict(), new Error("invalid")), options)).rejects.toThrow("invalid");
});

it("retryRest repeats work with the entries that the previous attempt left over", async () => {
  const received: number[][] = [];
  await retryRest([1, 2, 3, 4, 5], async (pending) => {
    received.push([...pending]);
    return pending.slice(2);
  });
  await retryRest([], async () => expect.unreachable());
  expect(received).toEqual([[1, 2, 3, 4, 5], [3, 4, 5], [5]]);
});
