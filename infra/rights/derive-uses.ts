import { routes } from "../../shared/api/routes.ts";
import { listEntryPoints } from "../bundle/entry-points.ts";
import { entryPointOf, jobName, kebabCase, notFoundEntryPoint, processorName } from "../naming.ts";
import type { Uses } from "./uses.ts";
import { type Contract, UsesReader } from "./uses-reader.ts";

/** Contract of the function for requests without a route. */
const notFound: Contract = { auth: "none", idempotency: "none", rateLimit: "open" };

/** Derives from the sources what each function uses, by its name. @param root repository root */
export function deriveUses(root: string): Record<string, Uses> {
  const reader = new UsesReader(root);
  const { all, jobs, processors, scheduled } = listEntryPoints(root);
  const entries = new Map(all.map((entry) => [entry.id, entry]));
  const functions: (readonly [name: string, entry: string, contract?: Contract])[] = [
    ...routes.map((route) => [kebabCase(route.id), entryPointOf(route), route] as const),
    ["route-not-found", notFoundEntryPoint, notFound],
    ...all
      .filter(({ file }) => file.startsWith("functions/authorizers/"))
      .map(({ file }) => [`authorizer-${jobName(file)}`, file] as const),
    ...processors.map((entry) => [`changes-${processorName(entry)}`, entry] as const),
    ...[...jobs, ...scheduled].map((entry) => [jobName(entry), entry] as const),
  ];
  const sorted = functions.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([name, id, contract]) => {
      const entry = entries.get(id);
      if (!entry) throw new Error(`functions has no ${id}`);
      return [name, reader.read(entry, contract)];
    }),
  );
}

/** Variables with secrets, or with the names of secrets that the function may read. */
const isSecret = (name: string) => /_(KEY|SECRET)$|^OTLP_HEADERS$/.test(name) && !name.startsWith("RATE_LIMIT_");

const isDeletion = (action: string) => /Delete|BatchWrite/.test(action);

/**
 * Returns what a reviewer must look at twice: which functions read secrets, delete, use other services, or can read partitions
 * of all kinds. IAM cannot limit reads of an index to partitions.
 */
export function reviewOf(uses: Readonly<Record<string, Uses>>): Record<string, Record<string, string[]>> {
  const functionsBy = (select: (each: Uses) => readonly string[]) => {
    const found = new Map<string, string[]>();
    for (const [name, each] of Object.entries(uses)) {
      for (const reason of select(each)) found.set(reason, [...(found.get(reason) ?? []), name]);
    }
    return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  return {
    secrets: functionsBy(({ variables }) => variables.filter(isSecret)),
    deletions: functionsBy(({ actions, rights }) => [...actions, ...rights].filter(isDeletion)),
    services: functionsBy(({ rights }) => rights.filter((right) => !isDeletion(right))),
    wildcards: functionsBy(({ indexes, partitions }) => [
      ...indexes.map((name) => `index ${name}`),
      ...partitions.filter((pattern) => /^\W?\*?#?\*/.test(pattern) && !/\w/.test(pattern)),
    ]),
  };
}
