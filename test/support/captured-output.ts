/**
 * Passes what the code under test writes to stdout and stderr on to the console, whose lines Vitest prints only for failed
 * tests.
 */
for (const [stream, print] of [
  [process.stdout, console.log],
  [process.stderr, console.error],
] as const) {
  stream.write = (chunk: string | Uint8Array) => {
    print(
      Buffer.from(chunk as string)
        .toString()
        .trimEnd(),
    );
    return true;
  };
}
