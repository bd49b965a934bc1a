#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createSwitchboard, isProblem } from "../../shared/client/index.ts";
import { parseRules, ReaderMap } from "./readers.ts";
import { exitCodes, runSync } from "./run-sync.ts";
import { type FileSource, InvalidUsage } from "./source-file.ts";
import { folder } from "./sources/folder.ts";
import { git } from "./sources/git.ts";
import { sitemap } from "./sources/sitemap.ts";
import { stdin } from "./sources/stdin.ts";

const usage = `Usage: switchboard-sync <source> --collection <id or name>

Sources:
  folder <path>             files of a folder
  git <path or address>     files that Git tracks (--branch <name>)
  sitemap <address>         pages of a website
  stdin                     JSON Lines: path, file or text, uri, media_type, modified_at, readers

Options:
  --create <readers>        create the collection if no one has the name: tenant, or group:HR,user:<id>
  --readers <rule>          readers of files by path, such as "hr/**=group:HR"; repeatable, the last match counts
  --rules <file>            file with such rules, one a line
  --dry-run                 only tell what would change
  --confirm                 remove more than 20 % of the documents
  --resume                  continue a sync that was stopped
  --skip-unreadable         remove files that cannot be read, instead of changing nothing
  --quiet                   tell errors only

Environment: SWITCHBOARD_URL, SWITCHBOARD_API_KEY (scopes knowledge.read, knowledge.write, access.read for groups)
Exit codes: 0 all is done, 1 files failed or cannot be read, 2 usage, 3 too many files would be removed`;

function toSource([kind, location]: readonly string[], branch: string | undefined): FileSource {
  if (kind === "stdin") return stdin(process.stdin);
  if (location === undefined) throw new InvalidUsage(usage);
  if (kind === "folder") return folder(location);
  if (kind === "git") return git(location, branch);
  if (kind === "sitemap" && URL.canParse(location)) return sitemap(location);
  throw new InvalidUsage(usage);
}

type Client = ReturnType<typeof createSwitchboard>;

/** Returns the id of a collection, which is created if it does not exist; undefined if a dry run would create it. */
async function findCollection(
  client: Client,
  wanted: string,
  create: string | undefined,
  isDryRun: boolean,
): Promise<string | undefined> {
  for await (const { id, name } of client.list("/v1/knowledge/collections")) {
    if (id === wanted || name === wanted) return id;
  }
  if (create === undefined)
    throw new InvalidUsage(`There is no collection "${wanted}". --create <readers> creates it.`);
  if (isDryRun) return undefined;
  const map = new ReaderMap(client, parseRules(`**=${create}`));
  const body = { name: wanted, readers: (await map.toReaders("collection")) ?? [] };
  return (await client.POST("/v1/knowledge/collections", { body })).id;
}

function parseOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        collection: { type: "string" },
        create: { type: "string" },
        readers: { type: "string", multiple: true, default: [] },
        rules: { type: "string" },
        branch: { type: "string" },
        "dry-run": { type: "boolean", default: false },
        confirm: { type: "boolean", default: false },
        resume: { type: "boolean", default: false },
        "skip-unreadable": { type: "boolean", default: false },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new InvalidUsage((error as Error).message);
  }
}

async function main(): Promise<number> {
  const { positionals, values } = parseOptions();
  const { SWITCHBOARD_URL: baseUrl, SWITCHBOARD_API_KEY: token } = process.env;
  if (values.help) {
    console.log(usage);
    return exitCodes.ok;
  }
  if (!baseUrl || !token || !values.collection) throw new InvalidUsage(usage);
  const source = toSource(positionals, values.branch);
  const rules = parseRules([values.rules ? readFileSync(values.rules, "utf8") : "", ...values.readers].join("\n"));
  const client = createSwitchboard({ baseUrl, token });
  return runSync({
    client,
    source,
    collectionId: await findCollection(client, values.collection, values.create, values["dry-run"]),
    readers: new ReaderMap(client, rules),
    isDryRun: values["dry-run"],
    isConfirmed: values.confirm,
    resumes: values.resume,
    skipsUnreadable: values["skip-unreadable"],
    report: (line) => {
      if (!values.quiet) console.error(line);
    },
    warn: console.error,
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  const details = isProblem(error)
    ? (error.problem.errors ?? []).map(({ path, message }) => `\n${path} ${message}`)
    : [];
  console.error(`${(error as Error).message}${details.join("")}`);
  process.exitCode = error instanceof InvalidUsage ? exitCodes.usage : exitCodes.filesFailed;
}
