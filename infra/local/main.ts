/**
 * Entry point of `npm start`. Node stores the compiled modules, so that later starts take three quarters of the processor time.
 * @see https://nodejs.org/api/module.html#module-compile-cache
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "../../node_modules/.cache/compiled"));
await import("./run.ts");
