import { readFile, writeFile } from "node:fs/promises";
import { measureOperations, withDataTables } from "../support/tables/operation-units.ts";

/** Measures what each operation needs of the table and writes the tables of `docs/data-units.md`. */
const page = new URL("../../docs/data-units.md", import.meta.url);
const text = withDataTables(await readFile(page, "utf8"), await measureOperations());
await writeFile(page, text);
console.log(text);
process.exit(0);
