import { readFileSync } from "node:fs";
import type { Route } from "#shared/api/define-route.ts";
import { exampleOf } from "#shared/openapi/example.ts";
import type { Json } from "#shared/openapi/json-schema.ts";
import { restEvent } from "../../support/handler-events.ts";

/** Ids of the caller in the events. */
export const caller = { tenant: "t-bench", user: "u-bench" } as const;

/** Origin secret that the functions read. */
export const ORIGIN_SECRET = "o".repeat(64);

const openapi = JSON.parse(readFileSync("openapi.json", "utf8"));

const principals: Readonly<Record<Route["auth"], object | undefined>> = {
  jwt: {
    kind: "user",
    tenantId: caller.tenant,
    userId: caller.user,
    roles: ["admin"],
    email: null,
    name: null,
    provider: "local",
    expiresAt: null,
  },
  "api-key": {
    kind: "api-key",
    tenantId: caller.tenant,
    keyId: "01978a3e-5c1f-7b60-9d2e-3f4a5b6c7d8e",
    scopes: ["chat.completions", "models.read"],
    allowedOrigins: [],
    expiresAt: null,
  },
  "embed-key": { kind: "embed-key", tenantId: caller.tenant, keyId: "k", expiresAt: null },
  "deployment-key": { kind: "deployment", tenantId: "~deployment", keyId: "key", expiresAt: null },
  "webhook-signature": undefined,
  "slack-signature": undefined,
  "teams-token": undefined,
  none: undefined,
};

/** Returns the example of a route's request body in the OpenAPI document; empty if it has none. */
function exampleBody({ path, method }: Route): string {
  const operation = openapi.paths[path]?.[method.toLowerCase()];
  const schema = operation?.requestBody?.content?.["application/json"]?.schema as Json | undefined;
  return schema ? JSON.stringify(exampleOf(schema, openapi.components.schemas)) : "";
}

const headers = {
  "content-type": "application/json",
  accept: "application/json",
  "x-origin-secret": ORIGIN_SECRET,
  "x-tenant-id": caller.tenant,
  "x-user-id": caller.user,
  "x-user-roles": "admin",
};

const EXAMPLE_ID = "01978a3e-5c1f-7b60-9d2e-3f4a5b6c7d8e";

/** Returns a request to a route of the REST API, as API Gateway passes it on. */
export function restRequest(route: Route, body = exampleBody(route)) {
  const params = Object.fromEntries([...route.path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => [name, EXAMPLE_ID]));
  const path = route.path.replace(/\{\w+\+?\}/g, EXAMPLE_ID);
  const method = route.method === "ANY" ? "GET" : route.method;
  return restEvent({ method, path, params, headers, body, principal: principals[route.auth] });
}

/** Returns a request to a streaming route, as a function URL passes it on. */
export function streamRequest(
  route: Route,
  body = exampleBody(route),
  { id = EXAMPLE_ID, ...added }: { readonly id?: string; readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const rawPath = route.path.replace(/\{\w+\+?\}/g, id);
  return {
    version: "2.0",
    rawPath,
    rawQueryString: "",
    headers: { ...headers, accept: "text/event-stream", host: "localhost", ...added.headers },
    requestContext: {
      requestId: "00000000-0000-0000-0000-000000000000",
      http: { method: route.method, path: rawPath, sourceIp: "127.0.0.1" },
    },
    body,
    isBase64Encoded: false,
  };
}

/** Returns a request to an authorizer. */
export const authorizerRequest = () => ({
  type: "REQUEST",
  methodArn: "arn:aws:execute-api:us-east-1:000000000000:api/prod/GET/v1/me",
  headers: { ...headers, authorization: "Bearer none" },
  requestContext: { identity: { sourceIp: "127.0.0.1" }, requestId: "1" },
});

/** Returns a message of a job for something that does not exist any more. */
export const jobEvent = () => ({
  Records: [
    {
      messageId: "1",
      body: JSON.stringify({ tenantId: caller.tenant, userId: caller.user, id: EXAMPLE_ID, messageId: EXAMPLE_ID }),
    },
  ],
});

/** Returns a change of the table that no rule applies to. */
export const changeEvent = () => ({
  Records: [
    {
      eventID: "1",
      eventName: "INSERT",
      eventSource: "aws:dynamodb",
      eventVersion: "1.1",
      awsRegion: "us-east-1",
      dynamodb: {
        ApproximateCreationDateTime: 1_767_225_600,
        Keys: { pk: { S: "t-bench#x" }, sk: { S: "x" } },
        NewImage: { pk: { S: "t-bench#x" }, sk: { S: "x" }, discriminator: { S: "rate" }, timestamp: { N: "1" } },
        SequenceNumber: "1",
        StreamViewType: "NEW_AND_OLD_IMAGES",
      },
    },
  ],
});
