import { existsSync, readFileSync } from "node:fs";
import type { GrantLogLine } from "../../infra/local/functions/authorization.ts";

/**
 * Grants that no request can need, although the code refers to them (decision 0091), and those that are needed only when
 * requests meet or fail at a moment that no test chooses.
 */
const knownUnusedGrants: ReadonlySet<string> = new Set([
  // The job reads each conversation with the policy, which is always a batch.
  "apply-retention dynamodb:GetItem on table/switchboard-local-table",
  // The index is read for threads and memories, and visitors have neither.
  "send-embed-message dynamodb:Query on table/switchboard-local-table/index/gsi1",
  // An accepted invitation only adds a member to groups. Other changes of a group delete memberships and names.
  "accept-invitation dynamodb:DeleteItem on table/switchboard-local-table",
  // A user without provisioned attributes has no names that could be released.
  "create-scim-user dynamodb:DeleteItem on table/switchboard-local-table",
  // There is no sign-in to a new server, whose token could be refused.
  "create-tool-server dynamodb:DeleteItem on table/switchboard-local-table",
  // A group is removed again if another request changes it before its last transaction.
  "create-scim-group dynamodb:DeleteItem on table/switchboard-local-table",
  // The start of a run that fails is undone, and a tool's refused token is deleted. Tests cause both in `start-chat`, which has
  // the same code.
  "call-mcp dynamodb:BatchWriteItem on table/switchboard-local-table",
  "call-mcp dynamodb:DeleteItem on table/switchboard-local-table",
  // The text of a file is deleted if the file is deleted while it is read.
  "process-file s3:DeleteObject on switchboard-local-attachments-000000000000-us-east-1/*",
  // Only workspaces with the deployment's app are bound to a team. Slack calls `receive-slack-app-request` for them.
  "receive-slack-request dynamodb:DeleteItem on table/switchboard-local-table",
]);

/** Grants of the service's functions and their use, as `<function> <action> on <resource>`. */
export interface GrantReport {
  readonly granted: ReadonlySet<string>;
  /** Grants without which a request would have been denied. */
  readonly used: ReadonlySet<string>;
  /** Requests that no grant allowed. */
  readonly denied: ReadonlySet<string>;
}

const toText = ({ function: name, action, resources }: GrantLogLine): string => {
  // Omits the service, region and account of each ARN.
  const targets = resources.map((resource) => resource.split(":").slice(5).join(":") || resource);
  return `${name.replace(/^switchboard-[a-z]+[-_]/, "")} ${action} on ${targets.join(", ")}`;
};

/** Reads the grant log of all instances of a test run. */
export function readGrantReport(file: string): GrantReport {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const entries = lines
    .map((line) => JSON.parse(line) as GrantLogLine)
    // Omits instances of other apps, and CDK's function that deploys files, which does not run locally.
    .filter((entry) => /^switchboard-(?!.*CustomCDK)/.test(entry.function));
  const select = (use: GrantLogLine["use"]) =>
    new Set(entries.filter((entry) => entry.use === use).map((entry) => toText(entry)));
  return { granted: select("granted"), used: select("used"), denied: select("denied") };
}

/**
 * Returns the grants that no request of a full run needed, apart from the known ones. Ignores a grant for batch reads
 * if the function may also read single items: the client combines concurrent reads into batches, which depends on
 * timing. `test/api/http/concurrent-operations.long.test.ts` makes every function do so.
 */
export function describeUnusedGrants({ granted, used }: GrantReport): string[] {
  const isCombinedRead = (grant: string) =>
    grant.includes("dynamodb:BatchGetItem") && granted.has(grant.replace("BatchGetItem", "GetItem"));
  return [...granted]
    .filter((grant) => !used.has(grant) && !isCombinedRead(grant) && !knownUnusedGrants.has(grant))
    .map((grant) => `not needed by a test: ${grant}`);
}
