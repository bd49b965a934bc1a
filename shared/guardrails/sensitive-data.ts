import { personalDataFormats } from "./pii/personal-data-formats.ts";
import { secretFormats } from "./secrets/secret-formats.ts";
import { compileFormat, SensitiveReader } from "./sensitive-pattern.ts";
import type { Span } from "./spans.ts";

/** Formats of everything that the local check redacts, for whole texts and for streams. */
export const sensitivePatterns = [...secretFormats, ...personalDataFormats].map(compileFormat);

const reader = new SensitiveReader(sensitivePatterns);

/** Finds keys, passwords and personal data in a text. */
export const findSensitiveSpans = (text: string): Span[] => reader.findSpans(text);
