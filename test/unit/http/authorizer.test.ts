import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { beforeEach, expect, it, vi } from "vitest";
import { authorizer } from "#shared/http/authorizer.ts";
import { ServiceError } from "#shared/lib/errors.ts";

beforeEach(() => {
  vi.stubEnv("ORIGIN_SECRET", "origin");
  vi.stubEnv("RATE_LIMIT_FAILED", "100");
  return () => vi.unstubAllEnvs();
});

const eventOf = (requestId: string) =>
  ({
    methodArn: "arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/v1/me",
    headers: { "x-request-id": requestId, origin: "https://app.example.com" },
    path: "/v1/me",
    requestContext: { requestId, identity: { sourceIp: "203.0.113.1" } },
  }) as unknown as APIGatewayRequestAuthorizerEvent;

const denyWith = (detail: string) =>
  authorizer(async () => {
    throw new ServiceError("unauthorized", detail);
  });

it("authorizer() replaces characters in the reason of a denial that would need escaping in JSON", async () => {
  const { context } = await denyWith('Claim "exp" \\ of\nthe tökén.')(eventOf("first"));
  const detail = String(context?.detail);
  expect(detail).toBe("Claim 'exp' ' of'the t'k'n.");
  expect(JSON.parse(`{"detail":"${detail}"}`)).toEqual({ detail });
});

it("authorizer() returns the same denial for every request, because API Gateway caches it", async () => {
  const deny = denyWith("The token has expired.");
  const { context, policyDocument } = await deny(eventOf("first"));
  expect(await deny(eventOf("second"))).toMatchObject({ context, policyDocument });
  expect(context).toEqual({
    detail: "The token has expired.",
    type: "/problems/unauthorized",
    error_type: "unauthorized",
  });
});
