import { beforeAll, expect, it } from "vitest";
import { startEmbedSessionRoute } from "#shared/api/embed/embed.ts";
import type { EmbedKeyPrincipal } from "#shared/auth/principal.ts";
import { fromRestApi } from "#shared/http/http-request.ts";
import { toIdempotentRequest } from "#shared/http/idempotency/idempotency.ts";
import { createRequestContext } from "#shared/http/request-context.ts";
import { restEvent, setFunctionEnvironment } from "#test/support/handler-events.ts";

beforeAll(() => setFunctionEnvironment({}));

const principal: EmbedKeyPrincipal = { kind: "embed-key", tenantId: "t", keyId: "k", expiresAt: null };

/** Returns the idempotency id of a session request with a constant key. */
function idOf(sourceIp: string, body: unknown): string | undefined {
  const event = restEvent({
    path: "/v1/embed/sessions",
    body: "",
    headers: { "idempotency-key": "constant" },
  }) as never as {
    requestContext: { identity: { sourceIp: string } };
  };
  event.requestContext.identity = { sourceIp };
  const context = createRequestContext(startEmbedSessionRoute, fromRestApi(event as never));
  context.principal = principal;
  context.input = { params: {}, query: {}, body };
  return toIdempotentRequest(context)?.id;
}

it("toIdempotentRequest() limits an anonymous visitor's Idempotency-Key to the client address", () => {
  expect(idOf("192.0.2.1", {})).toBe(idOf("192.0.2.1", {}));
  expect(idOf("192.0.2.1", {})).not.toBe(idOf("192.0.2.2", {}));
});

it("toIdempotentRequest() limits an identified visitor's Idempotency-Key to the visitor id", () => {
  const body = { visitor: { id: "one" } };
  expect(idOf("192.0.2.1", body)).toBe(idOf("192.0.2.2", body));
  expect(idOf("192.0.2.1", body)).not.toBe(idOf("192.0.2.1", { visitor: { id: "two" } }));
});
