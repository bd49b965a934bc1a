/** Problem that the user of the local runner can fix. The message says how, and is printed without a stack trace. */
export class Failure extends Error {
  override name = "Failure";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of a system error, such as `ENOENT` or `EADDRINUSE`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
