import { Failure } from "../failure.ts";
import { type Fields, fields, isFields, list, text } from "../json.ts";
import type { Assembly, Resource, Stack } from "./assembly.ts";
import { account, partition, region, urlSuffix } from "./local-account.ts";
import { type Addresses, type Attributes, attributesOf, nameProperty } from "./resource-attributes.ts";
import type { Secrets } from "./secrets.ts";

/** A resource of the running app: its properties and attributes with every intrinsic function resolved. */
export type Deployed = {
  type: string;
  logicalId: string;
  stack: string;
  /** Stack and logical id, for messages and for keys of stored state. */
  path: string;
  ref: string;
  attributes: Record<string, string>;
  properties: Fields;
};

const absent = Symbol("AWS::NoValue");

/**
 * The stacks as if deployed: resolves CloudFormation's intrinsic functions and dynamic references across them.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
 */
export class Deployment {
  readonly #assembly: Assembly;
  readonly #addresses: Addresses;
  readonly #secrets: Secrets;
  readonly #known = new Map<string, unknown>();
  readonly #underWay = new Set<string>();
  #exports: Map<unknown, { stack: Stack; value: unknown }> | undefined;

  constructor(assembly: Assembly, addresses: Addresses, secrets: Secrets) {
    this.#assembly = assembly;
    this.#addresses = addresses;
    this.#secrets = secrets;
  }

  /**
   * Every resource of the given types in all stacks, in template order, without those whose condition does not hold.
   * @throws Failure naming stack and logical id where something refers to what is not there.
   */
  resources(...types: string[]): Deployed[] {
    const found: Deployed[] = [];
    for (const stack of this.#assembly.stacks)
      for (const [logicalId, resource] of stack.resources)
        if (types.includes(resource.type) && this.#exists(stack, resource))
          found.push(this.#deployed(stack, logicalId));
    return found;
  }

  /** The one resource whose `Ref` is `ref`, of the given type. */
  find(type: string, ref: unknown): Deployed | undefined {
    return this.resources(type).find((resource) => resource.ref === ref);
  }

  /** Those outputs of the top-level stacks whose logical id starts with `prefix`. */
  outputs(prefix: string): { logicalId: string; value: string }[] {
    return this.#assembly.stacks
      .filter((stack) => !stack.parent)
      .flatMap((stack) =>
        Object.entries(stack.outputs)
          .filter(([logicalId]) => logicalId.startsWith(prefix))
          .filter(([, output]) => this.#holds(stack, text(fields(output).Condition)))
          .map(([logicalId]) => ({ logicalId, value: String(this.#output(stack, logicalId)) })),
      );
  }

  /** Source directory of the file asset with this object key. */
  asset(objectKey: string): string | undefined {
    return this.#assembly.assets.get(objectKey);
  }

  #deployed(stack: Stack, logicalId: string): Deployed {
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

  #attributes(stack: Stack, logicalId: string): Attributes {
    const path = `${stack.name}/${logicalId}`;
    return this.#once(path, () => {
      const { type, properties } = this.#resource(stack, logicalId);
      const property = (name: string) => String(this.#evaluate(properties[name] ?? "", stack, logicalId));
      const name = property(nameProperty(type)) || `${stack.name}-${logicalId}`;
      return attributesOf({ type, name, path, property }, this.#addresses);
    });
  }

  #resource(stack: Stack, logicalId: string): Resource {
    const resource = stack.resources.get(logicalId);
    if (!resource) throw new Failure(`Stack ${stack.name} has no resource or parameter called ${logicalId}.`);
    return resource;
  }

  /** Remembers what `compute` gives, and tells a cycle from a long way. */
  #once<Value>(key: string, compute: () => Value): Value {
    if (this.#known.has(key)) return this.#known.get(key) as Value;
    if (this.#underWay.has(key)) throw new Failure(`${key} depends on itself: ${[...this.#underWay].join(" → ")}.`);
    this.#underWay.add(key);
    try {
      const value = compute();
      this.#known.set(key, value);
      return value;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** `user` is the logical id in whose definition `value` stands; it only serves error messages. */
  #evaluate(value: unknown, stack: Stack, user: string): unknown {
    if (typeof value === "string") return this.#finish(value);
    if (Array.isArray(value))
      return value.map((item) => this.#evaluate(item, stack, user)).filter((item) => item !== absent);
    if (!isFields(value)) return value;
    const [only, ...others] = Object.entries(value);
    if (only && others.length === 0 && (only[0] === "Ref" || only[0].startsWith("Fn::")))
      return this.#apply(only[0], only[1], stack, user);
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, member]) => [key, this.#evaluate(member, stack, user)])
        .filter(([, member]) => member !== absent),
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
        const given = fields(evaluate(variables));
        const substituted = String(template).replace(/\$\{(!?)([^}]+)\}/g, (whole, literal: string, key: string) => {
          if (literal) return `\${${key}}`;
          if (key in given) return String(given[key]);
          const value = key.includes(".") ? evaluate({ "Fn::GetAtt": key }) : evaluate({ Ref: key });
          return value === absent ? whole : String(value);
        });
        return this.#finish(substituted);
      }
      case "Fn::Select": {
        const [index, values] = list(evaluate(operand));
        const chosen = list(values)[Number(index)];
        if (chosen === undefined) throw new Failure(`${stack.name}/${user}: Fn::Select finds nothing at ${index}.`);
        return chosen;
      }
      case "Fn::Split": {
        const [separator, value] = list(evaluate(operand));
        return String(value).split(String(separator));
      }
      case "Fn::ImportValue":
        return this.#imported(evaluate(operand), stack, user);
      case "Fn::FindInMap": {
        const [map, first, second] = list(evaluate(operand)).map(String);
        const value = fields(fields(stack.mappings[map ?? ""])[first ?? ""])[second ?? ""];
        if (value === undefined)
          throw new Failure(`${stack.name}/${user}: there is no ${first}.${second} in mapping ${map}.`);
        return value;
      }
      case "Fn::If": {
        const [condition, yes, no] = list(operand);
        return evaluate(this.#holds(stack, String(condition)) ? yes : no);
      }
      case "Fn::GetAZs":
        return [`${region}a`, `${region}b`];
      case "Fn::Base64":
        return Buffer.from(String(evaluate(operand))).toString("base64");
      default:
        throw new Failure(`${stack.name}/${user} uses ${name}, which the local runner does not know.`);
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
        return absent;
    }
    return name in stack.parameters ? this.#parameter(stack, name) : this.#attributes(stack, name).ref;
  }

  /** A nested stack's parameters come from its parent, everyone else's are their defaults. */
  #parameter(stack: Stack, name: string): unknown {
    return this.#once(`${stack.name}/${name}`, () => {
      if (stack.parent) {
        const given = fields(this.#resource(stack.parent.stack, stack.parent.logicalId).properties.Parameters)[name];
        if (given !== undefined) return this.#evaluate(given, stack.parent.stack, stack.parent.logicalId);
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
    throw new Failure(`The local runner does not know attribute ${name} of ${stack.name}/${logicalId} (${type}).`);
  }

  #output(stack: Stack, name: string): unknown {
    return this.#once(`${stack.name}/outputs/${name}`, () => {
      const output = stack.outputs[name];
      if (output === undefined) throw new Failure(`Stack ${stack.name} has no output called ${name}.`);
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
    const found = this.#exports.get(name);
    if (!found) throw new Failure(`${stack.name}/${user} imports ${name}, which no stack exports.`);
    return this.#evaluate(found.value, found.stack, String(name));
  }

  #exists(stack: Stack, resource: Resource): boolean {
    return this.#holds(stack, resource.condition);
  }

  #holds(stack: Stack, condition: string | undefined): boolean {
    if (condition === undefined) return true;
    return this.#once(`${stack.name}/conditions/${condition}`, () => {
      const definition = stack.conditions[condition];
      if (definition === undefined) throw new Failure(`Stack ${stack.name} has no condition called ${condition}.`);
      return this.#test(definition, stack, condition);
    });
  }

  #test(definition: unknown, stack: Stack, user: string): boolean {
    const [name = "", operand] = Object.entries(fields(definition))[0] ?? [];
    const operands = list(operand);
    switch (name) {
      case "Condition":
        return this.#holds(stack, String(operand));
      case "Fn::And":
        return operands.every((each) => this.#test(each, stack, user));
      case "Fn::Or":
        return operands.some((each) => this.#test(each, stack, user));
      case "Fn::Not":
        return !this.#test(operands[0], stack, user);
      case "Fn::Equals":
        return String(this.#evaluate(operands[0], stack, user)) === String(this.#evaluate(operands[1], stack, user));
      default:
        throw new Failure(
          `Condition ${user} of stack ${stack.name} uses ${name}, which the local runner does not know.`,
        );
    }
  }

  /** Last steps for any finished string: dynamic references, and plain HTTP where a URL leads to this machine. */
  #finish(value: string): string {
    const local = value.replaceAll(`https://${this.#addresses.gateway}`, `http://${this.#addresses.gateway}`);
    return local.replace(
      /\{\{resolve:(secretsmanager|ssm):(.+?)(?::SecretString:([^:}]*)[^}]*)?\}\}/g,
      (_, service: string, id: string, key: string | undefined) =>
        service === "ssm" ? this.#ssmParameter(id) : this.#secret(id, key),
    );
  }

  #secret(id: string, key: string | undefined): string {
    const found = this.#lookUp("AWS::SecretsManager::Secret", id);
    if (!found) throw new Failure(`No stack has the secret ${id}.`);
    const properties = fields(this.#evaluate(found.resource.properties, found.stack, found.logicalId));
    const value = this.#secrets.value(`${found.stack.name}/${found.logicalId}`, properties);
    if (!key) return value;
    const member = text(fields(JSON.parse(value))[key]);
    if (member === undefined) throw new Failure(`The secret ${found.stack.name}/${found.logicalId} has no key ${key}.`);
    return member;
  }

  #ssmParameter(name: string): string {
    const found = this.#lookUp("AWS::SSM::Parameter", name);
    if (!found) throw new Failure(`No stack has the SSM parameter ${name}.`);
    return String(this.#attribute(found.logicalId, "Value", found.stack));
  }

  #lookUp(type: string, ref: string): { stack: Stack; logicalId: string; resource: Resource } | undefined {
    for (const stack of this.#assembly.stacks)
      for (const [logicalId, resource] of stack.resources)
        if (resource.type === type && [this.#attributes(stack, logicalId).ref, resource.properties.Name].includes(ref))
          return { stack, logicalId, resource };
    return undefined;
  }
}
