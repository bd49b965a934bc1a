import type { Deployed, Deployment } from "../assembly/deployment.ts";
import { fields, list, text } from "../json.ts";

/** A statement of an identity-based policy, with single values made lists. */
export type Statement = { allow: boolean; actions: string[]; resources: string[] };

/**
 * What a role may do: its inline policies and the `AWS::IAM::Policy` resources attached to it. Managed policies are left out:
 * the one every function has only lets it write logs.
 */
export function statementsOf(role: Deployed, deployment: Deployment): Statement[] {
  const attached = deployment
    .resources("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
    .filter((policy) => list(policy.properties.Roles).includes(role.ref))
    .map((policy) => policy.properties.PolicyDocument);
  const inline = list(role.properties.Policies).map((policy) => fields(policy).PolicyDocument);
  return [...inline, ...attached].flatMap(statementsIn);
}

/** The statements of a policy document. */
export function statementsIn(document: unknown): Statement[] {
  return oneOrMore(fields(document).Statement).map(statement);
}

/**
 * What the statements say about an action: a denial wins over any permission. Conditions are not evaluated: a statement with one
 * counts as if it held when it allows, and is skipped when it denies. Without `resource` a statement counts whatever its resources.
 */
export function judge(statements: Statement[], action: string, resource?: string): "allow" | "deny" | "neither" {
  const relevant = statements.filter(
    ({ actions, resources }) =>
      actions.some((pattern) => matches(pattern, action)) &&
      (resource === undefined || resources.some((pattern) => matches(pattern, resource))),
  );
  if (relevant.length === 0) return "neither";
  return relevant.every(({ allow }) => allow) ? "allow" : "deny";
}

/** Whether the statements allow an action. */
export function allows(statements: Statement[], action: string, resource?: string): boolean {
  return judge(statements, action, resource) === "allow";
}

/** IAM's wildcards: `*` for any text, `?` for one character; actions do not care about case, and ARNs hardly differ in it alone. */
export function matches(pattern: string, value: string): boolean {
  if (pattern === "*" || pattern === value) return true;
  return wildcard(pattern).test(value);
}

const compiled = new Map<string, RegExp>();

function wildcard(pattern: string): RegExp {
  let expression = compiled.get(pattern);
  if (!expression) {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    expression = new RegExp(`^${escaped}$`, "is");
    compiled.set(pattern, expression);
  }
  return expression;
}

function statement(value: unknown): Statement {
  const { Effect, Action, Resource, Condition } = fields(value);
  const allow = Effect === "Allow";
  const skipped = !allow && Condition !== undefined;
  return { allow, actions: skipped ? [] : strings(Action), resources: strings(Resource) };
}

const strings = (value: unknown): string[] => oneOrMore(value).map((each) => text(each) ?? "");
const oneOrMore = (value: unknown): unknown[] => (Array.isArray(value) ? value : value ? [value] : []);
