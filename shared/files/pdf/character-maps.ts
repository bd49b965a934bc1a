import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const folder = join(dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json")), "cmaps");

/**
 * Predefined character maps of Chinese, Japanese and Korean fonts by name, as Base64 of the binary form of pdf.js. The bundler
 * replaces this module by its value (`infra/bundle/evaluated-module.ts`).
 * @see ISO 32000-2, section 9.7.5.2
 */
export const characterMaps: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => name.endsWith(".bcmap"))
    .map((name) => [name, readFileSync(join(folder, name)).toString("base64")]),
);
