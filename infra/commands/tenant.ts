import { parseArgs } from "node:util";
import { timestamp } from "../../shared/lib/clock.ts";
import { runScript, UsageError } from "./script.ts";
import { cloneTenant } from "./tenant/clone-tenant.ts";
import { exportTenant, importTenant, moveTenant, requireSuspended, restoreTenant } from "./tenant/copy-tenant.ts";
import { digestTenant } from "./tenant/tenant-items.ts";

const usage = `npm run tenant -- <command> --table <name> [--region <region>] …
  hash    --tenant <id>                                 number and hash of the items
  export  --tenant <id> --file <path> [--force]
  import  --file <path>
  move    --tenant <id> --to-table <name> [--to-region <region>] [--remove] [--force]
  restore --tenant <id> --copy <table restored to a point in time> [--force]
  clone   --tenant <id> --as <new id> [--redact] [--to-table <name>] [--to-region <region>]`;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const options = {
  ...{ table: text, region: text, tenant: text, file: text, "to-table": text, "to-region": text, copy: text, as: text },
  ...{ force: flag, remove: flag, redact: flag },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

await runScript(import.meta, async (args) => {
  const { values, positionals } = parse(args);
  const need = (name: "table" | "tenant" | "file" | "to-table" | "copy" | "as") => {
    const value = values[name];
    if (value === undefined) throw new UsageError(`--${name} is missing.\n${usage}`);
    return value;
  };
  const at = timestamp();
  const table = { name: need("table"), region: values.region };
  const target = () => ({ name: values["to-table"] ?? table.name, region: values["to-region"] ?? values.region });
  const suspended = async () => {
    if (!values.force) await requireSuspended(table, need("tenant"));
    return need("tenant");
  };
  const commands: Readonly<Record<string, () => Promise<unknown>>> = {
    hash: () => digestTenant(table, need("tenant")),
    export: async () => exportTenant(table, await suspended(), need("file")),
    import: () => importTenant(table, need("file"), at),
    move: async () => {
      const tenant = await suspended();
      return moveTenant(table, { ...target(), name: need("to-table") }, tenant, { at, removes: values.remove });
    },
    restore: async () => restoreTenant(table, { name: need("copy"), region: values.region }, await suspended(), at),
    clone: async () => {
      const [tenant, clone] = [need("tenant"), need("as")];
      return { items: await cloneTenant(table, target(), { tenant, clone, isRedacted: values.redact, at }) };
    },
  };
  const command = commands[positionals[0] ?? ""];
  if (!command) throw new UsageError(usage);
  console.log(JSON.stringify(await command()));
});
