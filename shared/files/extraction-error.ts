import { extractionFailures } from "../api/knowledge/extraction-failures.ts";

/** Code of the reason why a file cannot be extracted. */
export type ExtractionFailure = keyof typeof extractionFailures;

/** Error for a file that cannot be extracted. `message` is shown to users. */
export class ExtractionError extends Error {
  readonly code: ExtractionFailure;

  constructor(code: ExtractionFailure) {
    super(extractionFailures[code]);
    this.code = code;
  }
}
