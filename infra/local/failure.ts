/** A problem the person at the keyboard can solve; its message says how, and is printed without a stack. */
export class Failure extends Error {
  override name = "Failure";
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code of a failed call (`ENOENT`, `EADDRINUSE`), or undefined. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
