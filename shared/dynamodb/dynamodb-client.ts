import { Agent, type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps, Agent as TlsAgent } from "node:https";
import { now } from "../lib/clock.ts";
import { awsSettings } from "../lib/env.ts";
import { retryDelay } from "../lib/retry-delay.ts";
import type { Attributes } from "./attributes.ts";
import { signatureV4 } from "./signature-v4.ts";

/** Why one write of a transaction was not done; `None` where it could have been. */
export interface CancellationReason {
  readonly Code?: string;
  readonly Item?: Attributes;
}

/** An answer of DynamoDB that is none; `name` is the exception's, as in AWS's documentation. */
export class DynamodbError extends Error {
  readonly status: number;
  /** Where a condition did not hold, what was found there. */
  readonly item: Attributes | undefined;
  readonly reasons: readonly CancellationReason[];

  constructor(status: number, answer: Readonly<Record<string, unknown>>) {
    super(String(answer.message ?? answer.Message ?? `DynamoDB answered ${status}`));
    this.name = String(answer.__type ?? "UnknownError").replace(/^.*#/, "");
    this.status = status;
    this.item = answer.Item as Attributes | undefined;
    this.reasons = (answer.CancellationReasons ?? []) as readonly CancellationReason[];
  }
}

/** Calls one operation of DynamoDB. @throws DynamodbError, or what went wrong on the way there */
// biome-ignore lint/suspicious/noExplicitAny: each operation has an answer of its own
export type DynamodbClient = (operation: string, input: unknown) => Promise<any>;

/** Tries of one call, the first included. */
const attempts = 5;

/** How long the connection may be silent before a call is given up, in milliseconds. */
const patience = 3_000;

/** Names of refusals that pass: for want of capacity, or because a transaction holds the item at that moment. */
export const passingRefusals: ReadonlySet<string> = new Set([
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
  "TransactionConflictException",
  "TransactionInProgressException",
]);

const lostOnTheWay: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"]);

/** Whether the same call may succeed: refused for the moment, a fault at the other end, or lost on the way. */
function isWorthRetrying(error: unknown): boolean {
  if (error instanceof DynamodbError) return error.status >= 500 || passingRefusals.has(error.name);
  return error instanceof Error && "code" in error && lostOnTheWay.has(String(error.code));
}

function timedOut(): Error {
  return Object.assign(new Error(`DynamoDB was silent for ${patience} ms`), {
    name: "TimeoutError",
    code: "ETIMEDOUT",
  });
}

function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => resolve(Buffer.concat(chunks).toString()));
    response.on("error", reject);
  });
}

async function answerOf(response: IncomingMessage): Promise<Record<string, unknown>> {
  const status = response.statusCode ?? 0;
  const text = await textOf(response);
  if (status === 200) return JSON.parse(text) as Record<string, unknown>;
  // Not everything between here and there speaks JSON.
  throw new DynamodbError(status, text.startsWith("{") ? JSON.parse(text) : { message: text.slice(0, 200) });
}

/** The backslash of half a character, but not of text that looks like one: there it is escaped itself. */
const halfCharacter = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** JSON with nothing in it that is not Unicode: DynamoDB refuses half a character, wherever it is. */
function wellFormed(json: string): string {
  return json.includes("\\ud") ? json.replace(halfCharacter, "$1\ufffd") : json;
}

/**
 * A client that does what the table needs and no more: its calls take a twelfth of the CPU of the SDK's (decision 0010).
 * Retries with exponential backoff and full jitter. Credentials are those of the function, which live as long as it does.
 */
export function dynamodbClient(): DynamodbClient {
  const settings = awsSettings("DYNAMODB");
  const url = new URL(settings.endpoint ?? `https://dynamodb.${settings.region}.amazonaws.com`);
  const sign = signatureV4("dynamodb", url.host, settings);
  const isTls = url.protocol === "https:";
  const options = { keepAlive: true, maxSockets: 256, scheduling: "lifo" } as const;
  const agent = isTls ? new TlsAgent(options) : new Agent(options);
  const request = isTls ? overHttps : overHttp;
  const { hostname, port } = url;

  const callOnce = (operation: string, body: string) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const headers = {
        ...sign(`DynamoDB_20120810.${operation}`, body, new Date(now())),
        "content-length": Buffer.byteLength(body),
      };
      const sent = request({ agent, method: "POST", hostname, port, path: "/", headers, timeout: patience });
      sent.on("response", (response) => answerOf(response).then(resolve, reject));
      sent.on("timeout", () => sent.destroy(timedOut()));
      sent.on("error", reject);
      sent.end(body);
    });

  return async (operation, input) => {
    const body = wellFormed(JSON.stringify(input));
    for (let attempt = 1; ; attempt++) {
      try {
        return await callOnce(operation, body);
      } catch (error) {
        if (attempt === attempts || !isWorthRetrying(error)) throw error;
        await retryDelay(attempt);
      }
    }
  };
}
