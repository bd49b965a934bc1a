import { readFileSync } from "node:fs";
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from "@redocly/openapi-core";

interface Operation {
  readonly deprecated?: boolean;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Returns JSON pointers to the operations that only redirect or answer that they were removed. They have no 2xx response. */
function findOperationsWithoutSuccess(text: string): ReadonlySet<string> {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> };
  const pointers = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(
        ([, { deprecated, responses }]) => deprecated || Object.keys(responses).some((status) => /^3/.test(status)),
      )
      .map(([method]) => `#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/${method}/responses`),
  );
  return new Set(pointers);
}

/**
 * Lints an OpenAPI document with Redocly's recommended rules.
 * @see https://redocly.com/docs/cli/rules
 */
async function lintOpenapi(file: string): Promise<string[]> {
  const text = readFileSync(file, "utf8");
  const withoutSuccess = findOperationsWithoutSuccess(text);
  const problems = await lintDocument({
    document: makeDocumentFromString(text, file),
    config: await createConfig({ extends: ["recommended"] }),
    externalRefResolver: new BaseResolver(),
  });
  return problems
    .map(({ ruleId, message, location }) => ({ ruleId, message, pointer: location[0]?.pointer ?? "" }))
    .filter(({ ruleId, pointer }) => !(ruleId === "operation-2xx-response" && withoutSuccess.has(pointer)))
    .map(({ ruleId, message, pointer }) => `${ruleId}: ${message} (${pointer})`);
}

if (import.meta.main) {
  const problems = await lintOpenapi("openapi.json");
  for (const problem of problems) console.log(problem);
  console.log(`${problems.length} problems in openapi.json`);
  if (problems.length > 0) process.exitCode = 1;
}
