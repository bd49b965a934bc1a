import { readFileSync } from "node:fs";

/**
 * Weight of each feature of the injection classifier as a signed byte, compressed (DEFLATE), as Base64 of the file that
 * `infra/commands/train-injection-classifier.ts` writes. The bundler replaces this module by its value
 * (`infra/bundle/evaluated-module.ts`).
 */
export const classifierWeights: string = readFileSync(new URL("./classifier-weights.bin", import.meta.url)).toString(
  "base64",
);
