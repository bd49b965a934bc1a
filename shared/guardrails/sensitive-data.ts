import { personalDataFormats } from "./pii/personal-data-formats.ts";
import { secretFormats } from "./secrets/secret-formats.ts";
import { compileFormat, SensitiveReader } from "./sensitive-pattern.ts";
import type { Span } from "./spans.ts";

/** Formats of all data that the local check redacts, in whole texts and in streams. */
export const sensitivePatterns = [...secretFormats, ...personalDataFormats].map(compileFormat);

const reader = new SensitiveReader(sensitivePatterns);

/** Returns the keys, passwords and personal data in a text. */
export const findSensitiveSpans = (text: string): Span[] => reader.findSpans(text);
