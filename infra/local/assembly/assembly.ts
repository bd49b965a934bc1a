import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure, messageOf } from "../failure.ts";
import { type Fields, fields, list, text } from "../json.ts";

/** One stack of the assembly, nested ones included, before any of its intrinsic functions is resolved. */
export type Stack = {
  name: string;
  resources: Map<string, Resource>;
  outputs: Fields;
  parameters: Fields;
  conditions: Fields;
  mappings: Fields;
  /** Where a nested stack is declared: its parameters are resolved there. */
  parent?: { stack: Stack; logicalId: string };
  /** Nested stacks by the logical id of their `AWS::CloudFormation::Stack`. */
  nested: Map<string, Stack>;
};

/** A resource as its template has it. */
export type Resource = { type: string; properties: Fields; condition?: string };

/** A cloud assembly: what `cdk synth` leaves behind. */
export type Assembly = {
  /** Every stack, parents before the stacks nested in them. */
  stacks: Stack[];
  /** Source directory or file of every file asset, by its object key in the asset bucket. */
  assets: Map<string, string>;
};

/**
 * Reads a cloud assembly, the assemblies of its stages and its nested stacks.
 * @see https://github.com/aws/aws-cdk/tree/main/packages/%40aws-cdk/cloud-assembly-schema
 * @throws Failure when a file of it is missing or is not JSON.
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
  for (const { type, properties } of artifacts)
    if (type === "cdk:asset-manifest") readAssets(assembly, directory, String(properties.file));
  for (const { id, type, properties } of artifacts) {
    if (type === "cdk:cloud-assembly") readInto(assembly, join(directory, String(properties.directoryName)));
    if (type === "aws:cloudformation:stack")
      readStack(assembly, join(directory, String(properties.templateFile)), text(properties.stackName) ?? id);
  }
}

function readAssets(assembly: Assembly, directory: string, file: string): void {
  for (const asset of Object.values(fields(readJson(join(directory, file)).files))) {
    const path = text(fields(fields(asset).source).path);
    if (path === undefined) continue;
    for (const destination of Object.values(fields(fields(asset).destinations)))
      assembly.assets.set(String(fields(destination).objectKey), resolve(directory, path));
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
    const nestedFile = templateAsset(assembly, fields(Properties).TemplateURL);
    if (nestedFile === undefined) throw new Failure(`${name}: the template of nested stack ${logicalId} is no asset.`);
    const nested = readStack(assembly, nestedFile, `${name}-${logicalId}`, { stack, logicalId });
    stack.nested.set(logicalId, nested);
  }
  return stack;
}

/** A nested stack's URL is a join whose last piece is the asset's object key; the rest names the bucket. */
function templateAsset(assembly: Assembly, url: unknown): string | undefined {
  const join = list(list(fields(url)["Fn::Join"])[1]);
  const end = text(join.at(-1)) ?? text(url) ?? "";
  return assembly.assets.get(end.slice(end.lastIndexOf("/") + 1));
}

function readJson(file: string): Fields {
  try {
    return fields(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new Failure(`The cloud assembly is damaged (${messageOf(error)}). Remove cdk.out and start again.`);
  }
}
