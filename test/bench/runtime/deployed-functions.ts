import type { Bundle } from "../../../infra/bundle/bundle-plan.ts";
import { resourcesOf, type Templates } from "../../infra/synthesize.ts";
import type { FunctionCode } from "./function-process.ts";

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string>>;

/** Returns the deployed function with the given name and entry point. */
export type FindFunction = (name: string, entry: string) => FunctionCode;

/**
 * Returns a look-up of the functions in the templates by their name without the prefix of the stage.
 * @param deployedValues values of variables that CloudFormation sets; others of them get the URL of no server
 */
export function findFunctions(bundle: Bundle, templates: Templates, deployedValues: Variables): FindFunction {
  const environments = new Map(
    resourcesOf(templates, "AWS::Lambda::Function").map(({ Properties }) => {
      const variables = Object.entries(Properties.Environment?.Variables ?? {}).map(([name, value]) => [
        name,
        deployedValues[name] ?? (typeof value === "string" ? value : "http://127.0.0.1:9/queue"),
      ]);
      const name = String(Properties.FunctionName).replace(/^switchboard-[a-z]+[-_]/, "");
      return [name, Object.fromEntries(variables) as Variables];
    }),
  );
  return (name, entry) => {
    const environment = environments.get(name);
    if (!environment) throw new Error(`The templates have no function ${name}`);
    return { name, directory: bundle.codeOf(entry).directory, environment };
  };
}
