import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest } from "node:http";
import { isAllowed, type Statement } from "./permissions.ts";

/** Operations that need a permission per item in the request. Items are not inspected: any one of these suffices. */
const compoundOperations: Record<string, string[]> = {
  BatchExecuteStatement: ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"],
  ExecuteStatement: ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"],
  ExecuteTransaction: ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"],
  TransactGetItems: ["GetItem"],
  TransactWriteItems: ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
};

/**
 * Rejects requests from this thread to the table server that the execution role does not allow, with the error that AWS
 * returns. Covers `node:http` and `fetch`, so it works with any client that the function bundles.
 */
export function enforceTablePermissions(tableHost: string, sessionArn: string, statements: Statement[]): void {
  const denials = new Map<string, string | undefined>();
  const findDenial = (target: unknown) => {
    if (typeof target !== "string" || !target.startsWith("DynamoDB")) return undefined;
    if (!denials.has(target)) denials.set(target, denialMessage(target, sessionArn, statements));
    return denials.get(target);
  };

  subscribe("http.client.request.created", (message) => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader("host") !== tableHost) return;
    const reason = findDenial(request.getHeader("x-amz-target"));
    if (reason) request.destroy(accessDenied(reason));
  });
  subscribe("undici:request:create", (message) => {
    const { request } = message as { request: { origin: unknown; headers: unknown; onError(error: Error): void } };
    if (String(request.origin) !== `http://${tableHost}` || !Array.isArray(request.headers)) return;
    const index = request.headers.findIndex(
      (name, position) => position % 2 === 0 && /^x-amz-target$/i.test(String(name)),
    );
    const reason = findDenial(index < 0 ? undefined : request.headers[index + 1]);
    if (reason) request.onError(accessDenied(reason));
  });
}

/** Returns the error message for a denied operation; undefined if the statements allow it. */
function denialMessage(target: string, sessionArn: string, statements: Statement[]): string | undefined {
  const operation = target.slice(target.indexOf(".") + 1);
  const actions = (compoundOperations[operation] ?? [operation]).map((name) => `dynamodb:${name}`);
  if (actions.some((action) => isAllowed(statements, action))) return undefined;
  const action = actions[0];
  return `User: ${sessionArn} is not authorized to perform: ${action} because no identity-based policy allows the ${action} action`;
}

/** Creates an error in the shape of the SDK's exceptions, so that clients do not retry it. */
function accessDenied(message: string): Error {
  const details = { name: "AccessDeniedException", $fault: "client", $metadata: { httpStatusCode: 400 } };
  return Object.assign(new Error(message), details);
}
