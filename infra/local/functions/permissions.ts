import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { fields, list, text } from "../json.ts";

/** Statement of an identity-based policy, with single values normalized to arrays. */
export interface Statement {
  allow: boolean;
  actions: string[];
  resources: string[];
}

/**
 * Returns the policy statements of a role: its inline policies and the policy resources attached to it. AWS managed policies
 * are ignored, because the one that every function has only allows writing logs.
 */
export function statementsOfRole(role: DeployedResource, deployment: Deployment): Statement[] {
  const attached = deployment
    .resources("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
    .filter((policy) => list(policy.properties.Roles).includes(role.ref))
    .map((policy) => policy.properties.PolicyDocument);
  const inline = list(role.properties.Policies).map((policy) => fields(policy).PolicyDocument);
  return [...inline, ...attached].flatMap(statementsIn);
}

/** Parses the statements of a policy document. */
export function statementsIn(document: unknown): Statement[] {
  return toArray(fields(document).Statement).map(parseStatement);
}

/**
 * Evaluates policy statements for an action. An explicit deny overrides any allow. Conditions are not evaluated: they count
 * as true in allow statements, and deny statements with a condition are skipped. Without `resource`, statements apply
 * regardless of their resources.
 */
export function evaluatePolicy(
  statements: Statement[],
  action: string,
  resource?: string,
): "allow" | "deny" | "neither" {
  const relevant = statements.filter(
    ({ actions, resources }) =>
      actions.some((pattern) => matchesWildcard(pattern, action)) &&
      (resource === undefined || resources.some((pattern) => matchesWildcard(pattern, resource))),
  );
  if (relevant.length === 0) return "neither";
  return relevant.every(({ allow }) => allow) ? "allow" : "deny";
}

/** Checks whether the statements allow an action. */
export function isAllowed(statements: Statement[], action: string, resource?: string): boolean {
  return evaluatePolicy(statements, action, resource) === "allow";
}

/**
 * Matches IAM wildcards: `*` for any text, `?` for one character. Ignores case, as IAM does for actions; ARNs practically
 * never differ only in case.
 */
export function matchesWildcard(pattern: string, value: string): boolean {
  if (pattern === "*" || pattern === value) return true;
  return toRegExp(pattern).test(value);
}

const compiledPatterns = new Map<string, RegExp>();

function toRegExp(pattern: string): RegExp {
  let expression = compiledPatterns.get(pattern);
  if (!expression) {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    expression = new RegExp(`^${escaped}$`, "is");
    compiledPatterns.set(pattern, expression);
  }
  return expression;
}

function parseStatement(value: unknown): Statement {
  const { Effect, Action, Resource, Condition } = fields(value);
  const allow = Effect === "Allow";
  const skipped = !allow && Condition !== undefined;
  return { allow, actions: skipped ? [] : toStrings(Action), resources: toStrings(Resource) };
}

const toStrings = (value: unknown): string[] => toArray(value).map((item) => text(item) ?? "");
const toArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : value ? [value] : []);
