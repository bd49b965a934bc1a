import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { allows, type Statement } from "./permissions.ts";

/** Operations whose permission goes by the items in the request, which are not looked at: any one of these will do. */
const compound: Record<string, string[]> = {
  BatchExecuteStatement: ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"],
  ExecuteStatement: ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"],
  ExecuteTransaction: ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"],
  TransactGetItems: ["GetItem"],
  TransactWriteItems: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
};

/**
 * Refuses requests of this thread to the table server that the function's role does not allow, before they leave, with the
 * error AWS would answer. It sees `node:http` and `fetch` alike, whichever client the function bundles.
 */
export function guardTable(tableHost: string, sessionArn: string, statements: Statement[]): void {
  const refusals = new Map<string, string | undefined>();
  const refusal = (target: unknown) => {
    if (typeof target !== "string" || !target.startsWith("DynamoDB")) return undefined;
    if (!refusals.has(target)) refusals.set(target, refusalOf(target, sessionArn, statements));
    return refusals.get(target);
  };

  subscribe("http.client.request.created", (message) => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader("host") !== tableHost) return;
    const reason = refusal(request.getHeader("x-amz-target"));
    if (reason) request.destroy(accessDenied(reason));
  });
  subscribe("undici:request:create", (message) => {
    const { request } = message as { request: { origin: unknown; headers: unknown; onError(error: Error): void } };
    if (String(request.origin) !== `http://${tableHost}` || !Array.isArray(request.headers)) return;
    const at = request.headers.findIndex((name, index) => index % 2 === 0 && /^x-amz-target$/i.test(String(name)));
    const reason = refusal(at < 0 ? undefined : request.headers[at + 1]);
    if (reason) request.onError(accessDenied(reason));
  });
}

function refusalOf(target: string, sessionArn: string, statements: Statement[]): string | undefined {
  const operation = target.slice(target.indexOf(".") + 1);
  const actions = (compound[operation] ?? [operation]).map((name) => `dynamodb:${name}`);
  if (actions.some((action) => allows(statements, action))) return undefined;
  const action = actions[0];
  return `User: ${sessionArn} is not authorized to perform: ${action} because no identity-based policy allows the ${action} action`;
}

/** Shaped like the SDK's own exceptions, so that clients treat it as a final answer and do not retry. */
function accessDenied(message: string): Error {
  const details = { name: "AccessDeniedException", $fault: "client", $metadata: { httpStatusCode: 400 } };
  return Object.assign(new Error(message), details);
}
