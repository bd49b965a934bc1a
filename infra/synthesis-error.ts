/** Problem that an operator or developer must fix before the synthesis. It is printed without a stack trace. */
export class SynthesisError extends Error {
  override name = "SynthesisError";
}
