import type { Templates } from "../../infra/synthesize.ts";
import type { DeployedFunction } from "./recorded-usage.ts";

/** Returns the functions of the stage `prod` by name. */
export function deployedFunctions(templates: Templates): Map<string, DeployedFunction> {
  const functions = [...templates].flatMap(([file, resources]) =>
    Object.values(resources)
      .filter(({ Type }) => Type === "AWS::Lambda::Function" && resources)
      .map(({ Properties }) => {
        const name = String(Properties.FunctionName).replace(/^switchboard-prod[-_]/, "");
        const { SystemLogLevel } = Properties.LoggingConfig as { SystemLogLevel?: string };
        const isReported = SystemLogLevel !== "WARN";
        return [name, { memoryMb: Number(Properties.MemorySize), isReported, kind: kindOf(file, name) }] as const;
      }),
  );
  return new Map(functions);
}

function kindOf(file: string, name: string): DeployedFunction["kind"] {
  if (name.startsWith("authorizer-")) return "authorizer";
  if (name.startsWith("changes-")) return "processor";
  if (/-(changes|files)\.template/.test(file)) return "job";
  return /-streaming\.template/.test(file) ? "streaming" : "rest";
}
