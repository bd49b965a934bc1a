import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { Failure } from "../failure.ts";
import { fields, list, text } from "../json.ts";

/** Statement of a policy, with single values normalized to arrays. */
export interface Statement {
  allow: boolean;
  actions: string[];
  resources: string[];
  /** Conditions of the statement. All must hold. */
  conditions: Condition[];
}

/** Condition of a statement: an operator, a key of the request and the values to compare it with. */
interface Condition {
  operator: string;
  /** Quantifier for condition keys with several values; undefined for a key with one value. */
  set: "ForAllValues" | "ForAnyValue" | undefined;
  /** True if the condition also holds for a request without the key. */
  ifExists: boolean;
  /** Name of the condition key, in lower case. */
  key: string;
  values: string[];
}

/** Request that is checked against policies. */
export interface AccessRequest {
  action: string;
  /** ARN, or `*` for actions without resource-level permissions. */
  resource: string;
  /** Values of the request's condition keys, by key in lower case. */
  context?: Record<string, string[]>;
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

/**
 * Parses the statements of a policy document.
 * @throws Failure for elements that are not supported, because ignoring them could allow too much
 */
export function statementsIn(document: unknown): Statement[] {
  return toArray(fields(document).Statement).map(parseStatement);
}

export function applicableStatements(statements: readonly Statement[], request: AccessRequest): Statement[] {
  const action = request.action.toLowerCase();
  return statements.filter(
    ({ actions, resources, conditions }) =>
      // IAM ignores the case of actions, but not of resources.
      actions.some((pattern) => matchesWildcard(pattern.toLowerCase(), action)) &&
      resources.some((pattern) => matchesWildcard(pattern, request.resource)) &&
      conditions.every((condition) => holds(condition, request.context?.[condition.key])),
  );
}

/**
 * Evaluates policy statements for a request. `deny` takes precedence over `allow`.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function evaluatePolicy(statements: readonly Statement[], request: AccessRequest): "allow" | "deny" | "neither" {
  const applicable = applicableStatements(statements, request);
  if (applicable.length === 0) return "neither";
  return applicable.every(({ allow }) => allow) ? "allow" : "deny";
}

type Comparison = (pattern: string, value: string) => boolean;

const equals: Comparison = (pattern, value) => pattern === value;

/** Condition operators of IAM. Each also exists in negated form, such as `StringNotEquals`. */
const comparisons: Record<string, Comparison> = {
  ArnEquals: matchesWildcard,
  ArnLike: matchesWildcard,
  Bool: (pattern, value) => pattern.toLowerCase() === value.toLowerCase(),
  StringEquals: equals,
  StringEqualsIgnoreCase: (pattern, value) => pattern.toLowerCase() === value.toLowerCase(),
  StringLike: matchesWildcard,
};

const positiveOperator = (operator: string) => operator.replace(/^(Arn|String)Not/, "$1");

/**
 * Evaluates a condition. As in IAM, `ForAllValues` also holds if the request does not have the key.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
function holds({ operator, set, ifExists, values }: Condition, requested: readonly string[] = []): boolean {
  const positive = positiveOperator(operator);
  const compare = comparisons[positive];
  const isNegated = positive !== operator;
  const matches = (value: string) => values.some((pattern) => compare?.(pattern, value) === true) !== isNegated;
  if (requested.length === 0) return set === "ForAllValues" || ifExists || (isNegated && set === undefined);
  return set === "ForAnyValue" ? requested.some(matches) : requested.every(matches);
}

/** Matches IAM wildcards: `*` for any text, `?` for one character. */
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
    expression = new RegExp(`^${escaped}$`, "s");
    compiledPatterns.set(pattern, expression);
  }
  return expression;
}

function parseStatement(value: unknown): Statement {
  const statement = fields(value);
  const unsupported = ["NotAction", "NotResource", "NotPrincipal"].find((name) => name in statement);
  if (unsupported) throw new Failure(`The policy element ${unsupported} is not supported locally.`);
  const { Effect, Action, Resource, Condition } = statement;
  return {
    allow: Effect === "Allow",
    actions: toStrings(Action),
    resources: toStrings(Resource),
    conditions: Object.entries(fields(Condition)).flatMap(([operator, keys]) =>
      Object.entries(fields(keys)).map(([key, values]) => parseCondition(operator, key, values)),
    ),
  };
}

function parseCondition(name: string, key: string, values: unknown): Condition {
  const [, set, operator = "", ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(name) ?? [];
  if (!(positiveOperator(operator) in comparisons)) {
    throw new Failure(`The condition operator ${name} is not supported locally.`);
  }
  return {
    operator,
    set: set as Condition["set"],
    ifExists: ifExists !== undefined,
    key: key.toLowerCase(),
    values: toStrings(values),
  };
}

const toStrings = (value: unknown): string[] => toArray(value).map((item) => text(item) ?? "");
const toArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : value ? [value] : []);
