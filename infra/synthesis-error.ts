/** Something an operator or a developer has to mend before the app can be synthesised; the message says all there is to say. */
export class SynthesisError extends Error {
  override name = "SynthesisError";
}
