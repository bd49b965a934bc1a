import { expect, it } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { functionUses, operationUses, usesOf } from "../../functions/uses.ts";
import { listEntryPoints } from "../../infra/bundle/entry-points.ts";
import { tableAccessOf } from "../../infra/constructs/grants.ts";
import { entryPointOf, jobName, kebabCase, notFoundEntryPoint, processorName } from "../../infra/naming.ts";
import { deriveAccess } from "./derived-access.ts";

// This file compares the access that `functions/uses.ts` declares with the code. `permissions.test.ts` tests the IAM
// roles that the templates make from it.

const { jobs, processors, scheduled } = listEntryPoints(process.cwd());

/** Entry points that are no operations, by the names of their functions. */
const otherEntries: ReadonlyMap<string, string> = new Map([
  ["route-not-found", notFoundEntryPoint],
  ...["api-key", "deployment-key", "embed-key", "jwt"].map(
    (name) => [`authorizer-${name}`, `functions/authorizers/${name}.ts`] as const,
  ),
  ...processors.map((entry) => [`changes-${processorName(entry)}`, entry] as const),
  ...[...jobs, ...scheduled].map((entry) => [jobName(entry), entry] as const),
]);

it("functions/uses.ts has exactly one entry for each function", () => {
  expect(Object.keys(operationUses).toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
  expect(Object.keys(functionUses).toSorted()).toEqual([...otherEntries.keys()].toSorted());
});

it("functions/uses.ts declares exactly the table access that the code of each operation needs", () => {
  for (const route of routes) {
    const declared = tableAccessOf(usesOf(kebabCase(route.id), route));
    expect([route.id, declared]).toEqual([route.id, deriveAccess(entryPointOf(route), route)]);
  }
});

it("functions/uses.ts declares exactly the table access that the code of each function outside the API operations needs", () => {
  for (const [name, entry] of otherEntries) {
    const contract =
      name === "route-not-found" ? ({ auth: "none", idempotency: "none", streaming: false } as const) : undefined;
    expect([name, tableAccessOf(usesOf(name))]).toEqual([name, deriveAccess(entry, contract)]);
  }
});
