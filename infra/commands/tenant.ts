import { parseArgs } from "node:util";
import { now, timestamp } from "../../shared/lib/clock.ts";
import { runScript, UsageError } from "./script.ts";
import { cloneTenant } from "./tenant/clone-tenant.ts";
import { exportTenant, importTenant, moveTenant, requireSuspended, restoreTenant } from "./tenant/copy-tenant.ts";
import { deleteCopy, restorePoint } from "./tenant/restore-point.ts";
import { digestTenant } from "./tenant/tenant-items.ts";

const usage = `npm run tenant -- <command> --table <name> [--region <region>] …
  hash    --tenant <id>                                 number and hash of the items
  export  --tenant <id> --file <path> [--force]
  import  --file <path>
  move    --tenant <id> --to-table <name> [--to-region <region>] [--remove] [--force]
  restore --tenant <id> --at <time> [--delete-copy] [--force]
  restore --tenant <id> --copy <table restored to a point in time> [--force]
  clone   --tenant <id> --as <new id> [--redact] [--to-table <name>] [--to-region <region>]`;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;
const options = {
  ...{
    table: text,
    region: text,
    tenant: text,
    file: text,
    "to-table": text,
    "to-region": text,
    copy: text,
    as: text,
    at: text,
  },
  ...{ force: flag, remove: flag, redact: flag, "delete-copy": flag },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
}

/** Parses a point in time that must be in the past, and returns it as an ISO 8601 timestamp. */
function parseTime(value: string): string {
  const time = Date.parse(value);
  if (/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(value) && time < now()) return timestamp(time);
  throw new UsageError(`--at is not a time of the past with its zone, such as 2026-11-25T09:00:00Z.\n${usage}`);
}

await runScript(import.meta, async (args) => {
  const { values, positionals } = parse(args);
  const need = (name: "table" | "tenant" | "file" | "to-table" | "copy" | "as") => {
    const value = values[name];
    if (value === undefined) throw new UsageError(`--${name} is missing.\n${usage}`);
    return value;
  };
  const startedAt = timestamp();
  const table = { name: need("table"), region: values.region };
  const target = () => ({ name: values["to-table"] ?? table.name, region: values["to-region"] ?? values.region });
  const suspended = async () => {
    if (!values.force) await requireSuspended(table, need("tenant"));
    return need("tenant");
  };
  const commands: Readonly<Record<string, () => Promise<unknown>>> = {
    hash: () => digestTenant(table, need("tenant")),
    export: async () => exportTenant(table, await suspended(), need("file")),
    import: () => importTenant(table, need("file"), startedAt),
    move: async () => {
      const tenant = await suspended();
      return moveTenant(table, { ...target(), name: need("to-table") }, tenant, {
        at: startedAt,
        removes: values.remove,
      });
    },
    restore: async () => {
      const at = values.at === undefined ? null : parseTime(values.at);
      const tenant = await suspended();
      if (at === null) return restoreTenant(table, { name: need("copy"), region: values.region }, tenant, startedAt);
      console.error(`Restoring ${table.name} to ${at} next to it, which takes minutes to hours.`);
      const copy = await restorePoint(table, at);
      const result = await restoreTenant(table, copy, tenant, startedAt);
      if (values["delete-copy"]) await deleteCopy(copy);
      else console.error(`Delete the table ${copy.name} when you no longer need it.`);
      return result;
    },
    clone: async () => {
      const [tenant, clone] = [need("tenant"), need("as")];
      return { items: await cloneTenant(table, target(), { tenant, clone, isRedacted: values.redact, at: startedAt }) };
    },
  };
  const command = commands[positionals[0] ?? ""];
  if (!command) throw new UsageError(usage);
  console.log(JSON.stringify(await command()));
});
