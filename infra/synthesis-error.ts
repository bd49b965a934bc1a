/** An error that an operator or developer has to fix before synthesis. Printed without a stack trace. */
export class SynthesisError extends Error {
  override name = "SynthesisError";
}
