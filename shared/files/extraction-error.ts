import { extractionFailures } from "../api/knowledge/extraction-failures.ts";

/** Code of a failed extraction. */
export type ExtractionFailure = keyof typeof extractionFailures;

/** The file cannot be indexed; `message` is shown to users. */
export class ExtractionError extends Error {
  readonly code: ExtractionFailure;

  constructor(code: ExtractionFailure) {
    super(extractionFailures[code]);
    this.code = code;
  }
}
