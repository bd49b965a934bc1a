import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { warn } from "../log.ts";
import type { FunctionHost } from "./function-host.ts";
import { FunctionError, ThrottledError } from "./function-instance.ts";
import type { LambdaFunction } from "./lambda-function.ts";

interface InvokeReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Handles Lambda's Invoke operation. The type `Event` returns immediately and retries the invocation twice; `RequestResponse`
 * waits for the result.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export async function invokeFunction(
  host: FunctionHost,
  nameOrArn: string,
  type: string,
  body: string,
): Promise<InvokeReply> {
  const lambda = host.find(nameOrArn);
  if (!lambda) return errorReply(404, "ResourceNotFoundException", `Function not found: ${nameOrArn}`);
  let event: unknown;
  try {
    event = body === "" ? {} : JSON.parse(body);
  } catch {
    return errorReply(400, "InvalidRequestContentException", "Could not parse request body into json");
  }
  const headers = { "x-amzn-requestid": randomUUID() };
  if (type === "DryRun") return { status: 204, headers, body: "" };
  if (type === "Event") {
    void invokeInBackground(host, lambda, event);
    return { status: 202, headers, body: "" };
  }
  try {
    return { status: 200, headers, body: await host.invoke(lambda, event) };
  } catch (error) {
    if (error instanceof ThrottledError) return errorReply(429, "TooManyRequestsException", "Rate Exceeded.");
    if (!(error instanceof FunctionError)) throw error;
    return {
      status: 200,
      headers: { ...headers, "x-amz-function-error": "Unhandled" },
      body: JSON.stringify(error.failure),
    };
  }
}

/** Repeats an invocation while it is throttled, as Lambda does for asynchronous invocations and event sources. */
export async function invokeUnthrottled(
  invoke: () => Promise<string>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<string> {
  for (let delayMs = 200; ; delayMs = Math.min(delayMs * 2, 5_000)) {
    try {
      return await invoke();
    } catch (error) {
      if (!(error instanceof ThrottledError) || signal?.aborted) throw error;
      await sleep(delayMs, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
    }
  }
}

/**
 * Invokes a function asynchronously, with two retries after failures. AWS waits minutes between attempts; here it is
 * seconds.
 */
export async function invokeInBackground(host: FunctionHost, lambda: LambdaFunction, event: unknown): Promise<void> {
  const requestId = randomUUID();
  for (const retryDelayMs of [1000, 2000, undefined]) {
    try {
      await invokeUnthrottled(() => host.invoke(lambda, event, undefined, requestId));
      return;
    } catch (error) {
      if (!(error instanceof FunctionError)) return warn(lambda.name, String(error));
      if (retryDelayMs === undefined)
        return warn(lambda.name, `asynchronous request ${requestId} failed after all retries`);
      await sleep(retryDelayMs, undefined, { ref: false });
    }
  }
}

function errorReply(status: number, type: string, message: string): InvokeReply {
  return { status, headers: { "x-amzn-errortype": type }, body: JSON.stringify({ Type: "User", Message: message }) };
}
