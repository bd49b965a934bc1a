import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure, messageOf } from "../failure.ts";
import { type Fields, fields, list, text } from "../json.ts";

/** A top-level or nested stack of the assembly, with its intrinsic functions unresolved. */
export interface Stack {
  name: string;
  resources: Map<string, TemplateResource>;
  outputs: Fields;
  parameters: Fields;
  conditions: Fields;
  mappings: Fields;
  /** The declaration of a nested stack in its parent, which supplies its parameters. */
  parent?: { stack: Stack; logicalId: string };
  /** Nested stacks by the logical id of their `AWS::CloudFormation::Stack`. */
  nested: Map<string, Stack>;
}

export interface TemplateResource {
  type: string;
  properties: Fields;
  condition?: string;
}

/** A cloud assembly: the output of `cdk synth`. */
export interface Assembly {
  /** All stacks; parents come before their nested stacks. */
  stacks: Stack[];
  /** Source directory or file of each file asset, by its object key in the CDK's asset bucket. */
  assets: Map<string, string>;
}

/**
 * Reads a cloud assembly with its stages and nested stacks.
 * @see https://github.com/aws/aws-cdk/tree/main/packages/%40aws-cdk/cloud-assembly-schema
 * @throws Failure when a file is missing or is not JSON
 */
export function readAssembly(directory: string): Assembly {
  const assembly: Assembly = { stacks: [], assets: new Map() };
  readInto(assembly, resolve(directory));
  return assembly;
}

function readInto(assembly: Assembly, directory: string): void {
  const artifacts = Object.entries(fields(readJson(join(directory, "manifest.json")).artifacts)).map(
    ([id, artifact]) => ({ id, type: fields(artifact).type, properties: fields(fields(artifact).properties) }),
  );
  for (const { type, properties } of artifacts) {
    if (type === "cdk:asset-manifest") readAssets(assembly, directory, String(properties.file));
  }
  for (const { id, type, properties } of artifacts) {
    if (type === "cdk:cloud-assembly") readInto(assembly, join(directory, String(properties.directoryName)));
    if (type === "aws:cloudformation:stack") {
      readStack(assembly, join(directory, String(properties.templateFile)), text(properties.stackName) ?? id);
    }
  }
}

function readAssets(assembly: Assembly, directory: string, file: string): void {
  for (const asset of Object.values(fields(readJson(join(directory, file)).files))) {
    const path = text(fields(fields(asset).source).path);
    if (path === undefined) continue;
    for (const destination of Object.values(fields(fields(asset).destinations))) {
      assembly.assets.set(String(fields(destination).objectKey), resolve(directory, path));
    }
  }
}

function readStack(assembly: Assembly, file: string, name: string, parent?: Stack["parent"]): Stack {
  const template = readJson(file);
  const stack: Stack = {
    name,
    resources: new Map(),
    outputs: fields(template.Outputs),
    parameters: fields(template.Parameters),
    conditions: fields(template.Conditions),
    mappings: fields(template.Mappings),
    nested: new Map(),
    ...(parent && { parent }),
  };
  assembly.stacks.push(stack);
  for (const [logicalId, value] of Object.entries(fields(template.Resources))) {
    const { Type, Properties, Condition } = fields(value);
    const condition = text(Condition);
    stack.resources.set(logicalId, {
      type: String(Type),
      properties: fields(Properties),
      ...(condition && { condition }),
    });
    if (Type !== "AWS::CloudFormation::Stack") continue;
    const nestedFile = findTemplateAsset(assembly, fields(Properties).TemplateURL);
    if (nestedFile === undefined)
      throw new Failure(`${name}: the template of nested stack ${logicalId} is not an asset of the assembly.`);
    const nested = readStack(assembly, nestedFile, `${name}-${logicalId}`, { stack, logicalId });
    stack.nested.set(logicalId, nested);
  }
  return stack;
}

/** Finds the template of a nested stack. `TemplateURL` is an `Fn::Join` that ends with the object key of the asset. */
function findTemplateAsset(assembly: Assembly, url: unknown): string | undefined {
  const joined = list(list(fields(url)["Fn::Join"])[1]);
  const path = text(joined.at(-1)) ?? text(url) ?? "";
  return assembly.assets.get(path.slice(path.lastIndexOf("/") + 1));
}

function readJson(file: string): Fields {
  try {
    return fields(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new Failure(`Cannot read the cloud assembly (${messageOf(error)}). Remove cdk.out and start again.`);
  }
}
