import type { Plugin } from "esbuild";
import { getToolSetting } from "../../shared/lib/env.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** Adapter of the table port; see decision 0010. */
export type TableClientName = "lean" | "document";

const adapterExports: Readonly<Record<TableClientName, string>> = {
  lean: `export { leanClient as defaultClient } from "./lean-client.ts";`,
  document: `export { documentClient as defaultClient } from "./document-client.ts";`,
};

/**
 * Returns the adapter for an entry point: the SDK's document client for stream processors and jobs, where its batch
 * retries matter more than start-up time, and the lean client for interactive functions. `TABLE_CLIENT` at synthesis
 * selects one adapter for all functions.
 * @throws SynthesisError when `TABLE_CLIENT` is not the name of an adapter
 */
export function tableClientFor(entry: string): TableClientName {
  const override = getToolSetting("TABLE_CLIENT");
  if (override === "lean" || override === "document") return override;
  if (override) throw new SynthesisError(`TABLE_CLIENT must be "lean" or "document", not "${override}".`);
  return /^functions\/(changes|jobs)\//.test(entry) ? "document" : "lean";
}

/** Replaces `shared/dynamodb/default-client.ts` by the given adapter. */
export function tableClientPlugin(client: TableClientName): Plugin {
  return {
    name: "table-client",
    setup({ onLoad }) {
      onLoad({ filter: /shared[\\/]dynamodb[\\/]default-client\.ts$/ }, () => ({
        contents: adapterExports[client],
        loader: "ts",
      }));
    },
  };
}
