import type { Deployed } from "../assembly/deployment.ts";
import { arn } from "../assembly/local-account.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { judge, type Statement, statementsIn } from "../functions/permissions.ts";
import { type Fields, fields, isFields, number, text } from "../json.ts";
import type { Exchange } from "./gateway-request.ts";
import { header, queryPairs } from "./gateway-request.ts";
import { GatewayError } from "./gateway-response.ts";
import { eventBase, type RestRequest } from "./rest-event.ts";

/** What a custom authorizer adds to the request's context. */
export type Authorization = Record<string, string>;

type Answer = { policy: Statement[]; context: Authorization };

/** One custom authorizer of an API, with its cache of results. */
export class Authorizer {
  readonly #properties: Fields;
  readonly #lambda: LambdaFunction;
  readonly #host: FunctionHost;
  readonly #sources: string[];
  readonly #ttlMs: number;
  readonly #cache = new Map<string, { answer: Answer; expiresAt: number }>();

  constructor(resource: Deployed, lambda: LambdaFunction, host: FunctionHost) {
    this.#properties = resource.properties;
    this.#lambda = lambda;
    this.#host = host;
    this.#sources = (text(resource.properties.IdentitySource) ?? "")
      .split(",")
      .map((source) => source.trim())
      .filter(Boolean);
    this.#ttlMs = number(resource.properties.AuthorizerResultTtlInSeconds, 300) * 1000;
  }

  /**
   * Decides about a request. Results are kept for the authorizer's TTL under the identity sources' values, so the returned
   * policy decides about later requests to other methods, too.
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
   * @throws GatewayError when the request may not go on
   */
  async authorize(exchange: Exchange, rest: RestRequest, context: Fields): Promise<Authorization> {
    const identity = this.#sources.map((source) => identityValue(source, exchange, context, rest));
    if (identity.some((value) => value === undefined || value === "")) throw new GatewayError("UNAUTHORIZED");
    const expression = text(this.#properties.IdentityValidationExpression);
    if (this.#properties.Type === "TOKEN" && expression && !new RegExp(`^(?:${expression})$`).test(identity[0] ?? ""))
      throw new GatewayError("UNAUTHORIZED");

    const methodArn = arn("execute-api", `${rest.apiId}/${rest.stage}/${exchange.method}${rest.path}`);
    const answer = await this.#answer(identity.join("\n"), () =>
      this.#properties.Type === "TOKEN"
        ? { type: "TOKEN", methodArn, authorizationToken: identity[0] }
        : { type: "REQUEST", methodArn, ...eventBase(exchange, rest, context) },
    );
    const verdict = judge(answer.policy, "execute-api:Invoke", methodArn);
    if (verdict === "allow") return answer.context;
    const explicitly = verdict === "deny" ? " with an explicit deny" : "";
    throw new GatewayError(
      "ACCESS_DENIED",
      `User is not authorized to access this resource${explicitly}`,
      answer.context,
    );
  }

  async #answer(key: string, event: () => object): Promise<Answer> {
    const cached = this.#cache.get(key);
    if (cached && cached.expiresAt > Date.now()) return cached.answer;
    const answer = await this.#ask(event());
    if (this.#ttlMs > 0) {
      // Expired entries go out with the oldest: a laptop's cache needs no better bookkeeping than an upper bound.
      if (this.#cache.size >= 10_000) this.#cache.delete(this.#cache.keys().next().value ?? "");
      this.#cache.delete(key);
      this.#cache.set(key, { answer, expiresAt: Date.now() + this.#ttlMs });
    }
    return answer;
  }

  async #ask(event: object): Promise<Answer> {
    let payload: string;
    try {
      payload = await this.#host.invoke(this.#lambda, event);
    } catch (error) {
      // The one error message with a meaning; anything else is a failure of the authorizer itself.
      const unauthorized = error instanceof FunctionError && error.failure.errorMessage === "Unauthorized";
      throw new GatewayError(unauthorized ? "UNAUTHORIZED" : "AUTHORIZER_FAILURE");
    }
    const result = fields(JSON.parse(payload));
    const context = Object.entries(fields(result.context));
    if (
      typeof result.principalId !== "string" ||
      !isFields(result.policyDocument) ||
      context.some(([, value]) => value !== null && text(value) === undefined)
    )
      throw new GatewayError("AUTHORIZER_CONFIGURATION_ERROR");
    const values = context.filter(([, value]) => value !== null).map(([key, value]) => [key, String(value)]);
    return {
      policy: statementsIn(result.policyDocument),
      context: { ...Object.fromEntries(values), principalId: result.principalId },
    };
  }
}

function identityValue(source: string, exchange: Exchange, context: Fields, rest: RestRequest): string | undefined {
  const name = source.slice(source.lastIndexOf(".") + 1);
  if (source.startsWith("method.request.header.")) return header(exchange, name.toLowerCase());
  if (source.startsWith("method.request.querystring."))
    return queryPairs(exchange.query).find(([each]) => each === name)?.[1];
  if (source.startsWith("stageVariables.")) return text(rest.stageVariables[name]);
  let value: unknown = context;
  for (const part of source.split(".").slice(1)) value = fields(value)[part];
  return text(value);
}
