import { Failure } from "../failure.ts";
import { type Fields, fields, isFields, list, text } from "../json.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Assembly, Stack, TemplateResource } from "./assembly.ts";
import { account, partition, region, urlSuffix } from "./local-account.ts";
import {
  type Addresses,
  namePropertyOf,
  type ResourceAttributes,
  resourceAttributesOf,
} from "./resource-attributes.ts";

/** A resource whose properties and attributes have all intrinsic functions resolved. */
export interface DeployedResource {
  type: string;
  logicalId: string;
  stack: string;
  /** Stack and logical id. Messages and stored state refer to the resource by this path. */
  path: string;
  ref: string;
  attributes: Record<string, string>;
  properties: Fields;
}

const noValue = Symbol("AWS::NoValue");

/**
 * Emulates the deployed stacks: resolves intrinsic functions and dynamic references of CloudFormation across them.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
 */
export class Deployment {
  readonly #assembly: Assembly;
  readonly #addresses: Addresses;
  readonly #secrets: Secrets;
  readonly #resolved = new Map<string, unknown>();
  readonly #resolving = new Set<string>();
  #exports: Map<unknown, { stack: Stack; value: unknown }> | undefined;

  constructor(assembly: Assembly, addresses: Addresses, secrets: Secrets) {
    this.#assembly = assembly;
    this.#addresses = addresses;
    this.#secrets = secrets;
  }

  /**
   * Returns the resources of the given types in all stacks, in template order. Skips resources whose condition is false.
   * @throws Failure with the stack and logical id when a reference has no target
   */
  resources(...types: string[]): DeployedResource[] {
    const matching: DeployedResource[] = [];
    for (const stack of this.#assembly.stacks) {
      for (const [logicalId, resource] of stack.resources) {
        if (types.includes(resource.type) && this.#exists(stack, resource)) {
          matching.push(this.#deployed(stack, logicalId));
        }
      }
    }
    return matching;
  }

  /** Finds the resource of the given type whose `Ref` is `ref`. */
  find(type: string, ref: unknown): DeployedResource | undefined {
    return this.resources(type).find((resource) => resource.ref === ref);
  }

  /** Returns the outputs of the top-level stacks whose logical id starts with `prefix`. */
  outputs(prefix: string): { logicalId: string; value: string }[] {
    return this.#assembly.stacks
      .filter((stack) => !stack.parent)
      .flatMap((stack) =>
        Object.entries(stack.outputs)
          .filter(([logicalId]) => logicalId.startsWith(prefix))
          .filter(([, output]) => this.#isConditionTrue(stack, text(fields(output).Condition)))
          .map(([logicalId]) => ({ logicalId, value: String(this.#output(stack, logicalId)) })),
      );
  }

  /** Finds the source directory of the file asset with this object key. */
  findAsset(objectKey: string): string | undefined {
    return this.#assembly.assets.get(objectKey);
  }

  #deployed(stack: Stack, logicalId: string): DeployedResource {
    return this.#once(`${stack.name}/${logicalId} (properties)`, () => {
      const { type, properties } = this.#resource(stack, logicalId);
      return {
        type,
        logicalId,
        stack: stack.name,
        path: `${stack.name}/${logicalId}`,
        ...this.#attributes(stack, logicalId),
        properties: fields(this.#evaluate(properties, stack, logicalId)),
      };
    });
  }

  #attributes(stack: Stack, logicalId: string): ResourceAttributes {
    const path = `${stack.name}/${logicalId}`;
    return this.#once(path, () => {
      const { type, properties } = this.#resource(stack, logicalId);
      const property = (name: string) => String(this.#evaluate(properties[name] ?? "", stack, logicalId));
      const name = property(namePropertyOf(type)) || `${stack.name}-${logicalId}`;
      return resourceAttributesOf({ type, name, path, property }, this.#addresses);
    });
  }

  #resource(stack: Stack, logicalId: string): TemplateResource {
    const resource = stack.resources.get(logicalId);
    if (!resource) throw new Failure(`Stack ${stack.name} has no resource or parameter ${logicalId}.`);
    return resource;
  }

  /**
   * Returns the result of `compute` for a key and caches it.
   * @throws Failure for a circular reference
   */
  #once<Value>(key: string, compute: () => Value): Value {
    if (this.#resolved.has(key)) return this.#resolved.get(key) as Value;
    if (this.#resolving.has(key))
      throw new Failure(`Circular reference at ${key}: ${[...this.#resolving].join(" → ")}.`);
    this.#resolving.add(key);
    try {
      const value = compute();
      this.#resolved.set(key, value);
      return value;
    } finally {
      this.#resolving.delete(key);
    }
  }

  /**
   * Resolves the intrinsic functions in a value.
   * @param user logical id of the definition that contains the value, for error messages
   */
  #evaluate(value: unknown, stack: Stack, user: string): unknown {
    if (typeof value === "string") return this.#finish(value);
    if (Array.isArray(value)) {
      return value.map((item) => this.#evaluate(item, stack, user)).filter((item) => item !== noValue);
    }
    if (!isFields(value)) return value;
    const [member, ...others] = Object.entries(value);
    if (member && others.length === 0 && (member[0] === "Ref" || member[0].startsWith("Fn::"))) {
      return this.#apply(member[0], member[1], stack, user);
    }
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, member]) => [key, this.#evaluate(member, stack, user)])
        .filter(([, member]) => member !== noValue),
    );
  }

  #apply(name: string, operand: unknown, stack: Stack, user: string): unknown {
    const evaluate = (value: unknown) => this.#evaluate(value, stack, user);
    switch (name) {
      case "Ref":
        return this.#reference(String(operand), stack);
      case "Fn::GetAtt": {
        const path = Array.isArray(operand) ? operand.map(evaluate) : String(operand).split(".");
        return this.#attribute(String(path[0]), path.slice(1).join("."), stack);
      }
      case "Fn::Join": {
        const [separator, values] = list(operand);
        return this.#finish(list(evaluate(values)).map(String).join(String(separator)));
      }
      case "Fn::Sub": {
        const [template, variables] = Array.isArray(operand) ? operand : [operand, {}];
        const substitutions = fields(evaluate(variables));
        const substituted = String(template).replace(/\$\{(!?)([^}]+)\}/g, (whole, literal: string, key: string) => {
          if (literal) return `\${${key}}`;
          if (key in substitutions) return String(substitutions[key]);
          const value = key.includes(".") ? evaluate({ "Fn::GetAtt": key }) : evaluate({ Ref: key });
          return value === noValue ? whole : String(value);
        });
        return this.#finish(substituted);
      }
      case "Fn::Select": {
        const [index, values] = list(evaluate(operand));
        const selected = list(values)[Number(index)];
        if (selected === undefined)
          throw new Failure(`${stack.name}/${user}: Fn::Select has no value at index ${index}.`);
        return selected;
      }
      case "Fn::Split": {
        const [separator, value] = list(evaluate(operand));
        return String(value).split(String(separator));
      }
      case "Fn::ImportValue":
        return this.#imported(evaluate(operand), stack, user);
      case "Fn::GetStackOutput": {
        const { StackName, OutputName } = fields(evaluate(operand));
        const producer = this.#assembly.stacks.find(({ name }) => name === StackName);
        const output = producer?.outputs[String(OutputName)];
        if (!producer || !output) throw new Failure(`${stack.name}/${user}: ${StackName} has no output ${OutputName}.`);
        return this.#evaluate(fields(output).Value, producer, String(OutputName));
      }
      case "Fn::FindInMap": {
        const [map, first, second] = list(evaluate(operand)).map(String);
        const value = fields(fields(stack.mappings[map ?? ""])[first ?? ""])[second ?? ""];
        if (value === undefined) {
          throw new Failure(`${stack.name}/${user}: mapping ${map} has no entry ${first}.${second}.`);
        }
        return value;
      }
      case "Fn::If": {
        const [condition, yes, no] = list(operand);
        return evaluate(this.#isConditionTrue(stack, String(condition)) ? yes : no);
      }
      case "Fn::GetAZs":
        return [`${region}a`, `${region}b`];
      case "Fn::Base64":
        return Buffer.from(String(evaluate(operand))).toString("base64");
      default:
        throw new Failure(`${stack.name}/${user} uses ${name}, which the local runner does not support.`);
    }
  }

  #reference(name: string, stack: Stack): unknown {
    switch (name) {
      case "AWS::Region":
        return region;
      case "AWS::AccountId":
        return account;
      case "AWS::Partition":
        return partition;
      case "AWS::URLSuffix":
        return urlSuffix;
      case "AWS::StackName":
        return stack.name;
      case "AWS::StackId":
        return `arn:${partition}:cloudformation:${region}:${account}:stack/${stack.name}/local`;
      case "AWS::NoValue":
        return noValue;
    }
    return name in stack.parameters ? this.#parameter(stack, name) : this.#attributes(stack, name).ref;
  }

  /** Returns the value of a parameter: for a nested stack, the one that its parent passes; otherwise the default. */
  #parameter(stack: Stack, name: string): unknown {
    return this.#once(`${stack.name}/${name}`, () => {
      if (stack.parent) {
        const argument = fields(this.#resource(stack.parent.stack, stack.parent.logicalId).properties.Parameters)[name];
        if (argument !== undefined) return this.#evaluate(argument, stack.parent.stack, stack.parent.logicalId);
      }
      const value = fields(stack.parameters[name]).Default;
      if (value === undefined) throw new Failure(`Parameter ${name} of stack ${stack.name} has no value.`);
      return value;
    });
  }

  #attribute(logicalId: string, name: string, stack: Stack): unknown {
    const nested = stack.nested.get(logicalId);
    if (nested && name.startsWith("Outputs.")) return this.#output(nested, name.slice("Outputs.".length));
    const { attributes } = this.#attributes(stack, logicalId);
    if (attributes[name] !== undefined) return attributes[name];
    const { type } = this.#resource(stack, logicalId);
    throw new Failure(`The local runner does not support attribute ${name} of ${stack.name}/${logicalId} (${type}).`);
  }

  #output(stack: Stack, name: string): unknown {
    return this.#once(`${stack.name}/outputs/${name}`, () => {
      const output = stack.outputs[name];
      if (output === undefined) throw new Failure(`Stack ${stack.name} has no output ${name}.`);
      return this.#evaluate(fields(output).Value, stack, name);
    });
  }

  #imported(name: unknown, stack: Stack, user: string): unknown {
    this.#exports ??= new Map(
      this.#assembly.stacks.flatMap((exporter) =>
        Object.entries(exporter.outputs)
          .filter(([, output]) => fields(output).Export !== undefined)
          .map(([id, output]) => [
            this.#evaluate(fields(fields(output).Export).Name, exporter, id),
            { stack: exporter, value: fields(output).Value },
          ]),
      ),
    );
    const exported = this.#exports.get(name);
    if (!exported) throw new Failure(`${stack.name}/${user} imports ${name}, which no stack exports.`);
    return this.#evaluate(exported.value, exported.stack, String(name));
  }

  #exists(stack: Stack, resource: TemplateResource): boolean {
    return this.#isConditionTrue(stack, resource.condition);
  }

  #isConditionTrue(stack: Stack, condition: string | undefined): boolean {
    if (condition === undefined) return true;
    return this.#once(`${stack.name}/conditions/${condition}`, () => {
      const definition = stack.conditions[condition];
      if (definition === undefined) throw new Failure(`Stack ${stack.name} has no condition ${condition}.`);
      return this.#evaluateCondition(definition, stack, condition);
    });
  }

  #evaluateCondition(definition: unknown, stack: Stack, user: string): boolean {
    const [name = "", operand] = Object.entries(fields(definition))[0] ?? [];
    const operands = list(operand);
    switch (name) {
      case "Condition":
        return this.#isConditionTrue(stack, String(operand));
      case "Fn::And":
        return operands.every((each) => this.#evaluateCondition(each, stack, user));
      case "Fn::Or":
        return operands.some((each) => this.#evaluateCondition(each, stack, user));
      case "Fn::Not":
        return !this.#evaluateCondition(operands[0], stack, user);
      case "Fn::Equals":
        return String(this.#evaluate(operands[0], stack, user)) === String(this.#evaluate(operands[1], stack, user));
      default:
        throw new Failure(
          `Condition ${user} of stack ${stack.name} uses ${name}, which the local runner does not support.`,
        );
    }
  }

  /** Resolves the dynamic references in a string, and replaces `https` by `http` in URLs of the local gateway. */
  #finish(value: string): string {
    const local = value.replaceAll(`https://${this.#addresses.gateway}`, `http://${this.#addresses.gateway}`);
    return local.replace(
      /\{\{resolve:(secretsmanager|ssm):(.+?)(?::SecretString:([^:}]*)[^}]*)?\}\}/g,
      (_, service: string, id: string, key: string | undefined) =>
        service === "ssm" ? this.#ssmParameter(id) : this.#secret(id, key),
    );
  }

  #secret(id: string, key: string | undefined): string {
    const secret = this.#findResource("AWS::SecretsManager::Secret", id);
    if (!secret) throw new Failure(`No stack has the secret ${id}.`);
    const path = `${secret.stack.name}/${secret.logicalId}`;
    const properties = fields(this.#evaluate(secret.resource.properties, secret.stack, secret.logicalId));
    const { value } = this.#secrets.getVersion(path, properties);
    if (!key) return value;
    const member = text(fields(JSON.parse(value))[key]);
    if (member === undefined) throw new Failure(`The secret ${path} has no key ${key}.`);
    return member;
  }

  #ssmParameter(name: string): string {
    const parameter = this.#findResource("AWS::SSM::Parameter", name);
    if (!parameter) throw new Failure(`No stack has the SSM parameter ${name}.`);
    return String(this.#attribute(parameter.logicalId, "Value", parameter.stack));
  }

  #findResource(
    type: string,
    ref: string,
  ): { stack: Stack; logicalId: string; resource: TemplateResource } | undefined {
    for (const stack of this.#assembly.stacks) {
      for (const [logicalId, resource] of stack.resources) {
        if (
          resource.type === type &&
          [this.#attributes(stack, logicalId).ref, resource.properties.Name].includes(ref)
        ) {
          return { stack, logicalId, resource };
        }
      }
    }
    return undefined;
  }
}
