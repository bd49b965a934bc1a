import { arn } from "../assembly/local-account.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { evaluatePolicy, type Statement, statementsIn } from "../functions/permissions.ts";
import { type Fields, fields, isFields, number, text } from "../json.ts";
import { type GatewayRequest, header } from "./gateway-request.ts";
import { GatewayError } from "./gateway-response.ts";
import { eventBase, type RestRequest } from "./rest-event.ts";

/** Context values that a Lambda authorizer adds to the request. */
type AuthorizerContext = Record<string, string>;

interface AuthorizerResult {
  policy: Statement[];
  context: AuthorizerContext;
}

/** A Lambda authorizer of the type `request`, which headers identify, with its result cache. */
export class Authorizer {
  readonly #lambda: LambdaFunction;
  readonly #host: FunctionHost;
  readonly #identityHeaders: string[];
  readonly #ttlMs: number;
  readonly #cache = new Map<string, { result: AuthorizerResult; expiresAt: number }>();

  /** @param definition extension `x-amazon-apigateway-authorizer` of a security scheme */
  constructor(definition: Fields, lambda: LambdaFunction, host: FunctionHost) {
    this.#lambda = lambda;
    this.#host = host;
    this.#identityHeaders = (text(definition.identitySource) ?? "")
      .split(",")
      .map((source) => source.trim().replace("method.request.header.", "").toLowerCase())
      .filter(Boolean);
    this.#ttlMs = number(definition.authorizerResultTtlInSeconds, 300) * 1000;
  }

  /**
   * Authorizes a request. Results are cached by the values of the identity sources for the authorizer's TTL, so the returned
   * policy also applies to later requests to other methods.
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
   * @throws GatewayError when the request is not authorized
   */
  async authorize(request: GatewayRequest, rest: RestRequest, context: Fields): Promise<AuthorizerContext> {
    const identity = this.#identityHeaders.map((name) => header(request, name));
    if (identity.some((value) => !value)) throw new GatewayError("UNAUTHORIZED");
    const methodArn = arn("execute-api", `${rest.apiId}/${rest.stage}/${request.method}${rest.path}`);
    const result = await this.#getResult(identity.join("\n"), () => ({
      type: "REQUEST",
      methodArn,
      ...eventBase(request, rest, context),
    }));
    const decision = evaluatePolicy(result.policy, { action: "execute-api:Invoke", resource: methodArn });
    if (decision === "allow") return result.context;
    const suffix = decision === "deny" ? " with an explicit deny" : "";
    throw new GatewayError("ACCESS_DENIED", `User is not authorized to access this resource${suffix}`, result.context);
  }

  async #getResult(key: string, event: () => object): Promise<AuthorizerResult> {
    const cached = this.#cache.get(key);
    if (cached && cached.expiresAt > Date.now()) return cached.result;
    const result = await this.#invoke(event());
    if (this.#ttlMs > 0) {
      // Evict the oldest entry. An upper bound suffices locally; expired entries are not tracked.
      if (this.#cache.size >= 10_000) this.#cache.delete(this.#cache.keys().next().value ?? "");
      this.#cache.delete(key);
      this.#cache.set(key, { result, expiresAt: Date.now() + this.#ttlMs });
    }
    return result;
  }

  async #invoke(event: object): Promise<AuthorizerResult> {
    let payload: string;
    try {
      payload = await this.#host.invoke(this.#lambda, event);
    } catch (error) {
      // API Gateway gives a meaning only to this message; any other error is a failure of the authorizer.
      const unauthorized = error instanceof FunctionError && error.failure.errorMessage === "Unauthorized";
      throw new GatewayError(unauthorized ? "UNAUTHORIZED" : "AUTHORIZER_FAILURE");
    }
    const result = fields(JSON.parse(payload));
    const context = Object.entries(fields(result.context));
    if (
      typeof result.principalId !== "string" ||
      !isFields(result.policyDocument) ||
      context.some(([, value]) => value !== null && text(value) === undefined)
    ) {
      throw new GatewayError("AUTHORIZER_CONFIGURATION_ERROR");
    }
    const values = context.filter(([, value]) => value !== null).map(([key, value]) => [key, String(value)]);
    return {
      policy: statementsIn(result.policyDocument),
      context: { ...Object.fromEntries(values), principalId: result.principalId },
    };
  }
}
