import { appendFileSync } from "node:fs";
import { type AccessRequest, applicableStatements, matchesWildcard, type Statement } from "./permissions.ts";

export interface ExecutionRole {
  /** Name of the function. */
  name: string;
  /** ARN of the role session, which AWS names in access-denied errors. */
  sessionArn: string;
  statements: Statement[];
}

/**
 * Line of the grant log. `granted`: a function has this permission. `used`: it sent a request that only this permission
 * allows. `denied`: it sent a request that none allows.
 */
export interface GrantLogLine {
  use: "granted" | "used" | "denied";
  function: string;
  action: string;
  /** Resources of the statement, or the resource of a denied request. */
  resources: string[];
}

let grantLog: string | undefined;
const logged = new Set<string>();

/** Sets the file to which this thread appends the grant log. */
export function setGrantLog(file: string | undefined): void {
  grantLog = file;
}

/** Appends all grants of a role to the grant log. */
export function logGrants({ name, statements }: ExecutionRole): void {
  for (const { allow, actions, resources } of statements) {
    if (allow) for (const action of actions) log({ use: "granted", function: name, action, resources });
  }
}

function log(entry: GrantLogLine): void {
  if (grantLog === undefined) return;
  const line = `${JSON.stringify(entry)}\n`;
  if (logged.has(line)) return;
  logged.add(line);
  appendFileSync(grantLog, line);
}

/**
 * Checks whether the role of a function allows a request.
 * @returns AWS's error message for a denied request; undefined for an allowed one
 */
export function findDenial(
  { name, sessionArn, statements }: ExecutionRole,
  request: AccessRequest,
): string | undefined {
  const applicable = applicableStatements(statements, request);
  const [statement] = applicable;
  const { action, resource } = request;
  if (statement && applicable.every(({ allow }) => allow)) {
    const patterns = statement.actions.filter((pattern) => matchesWildcard(pattern, action));
    if (applicable.length === 1 && patterns.length === 1) {
      log({ use: "used", function: name, action: patterns[0] ?? action, resources: statement.resources });
    }
    return undefined;
  }
  log({ use: "denied", function: name, action, resources: [resource] });
  const reason = statement
    ? "with an explicit deny in an identity-based policy"
    : `because no identity-based policy allows the ${action} action`;
  return `User: ${sessionArn} is not authorized to perform: ${action} on resource: ${resource} ${reason}`;
}
