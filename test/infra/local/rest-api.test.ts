import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LocalApp } from "../../../infra/local/local-app.ts";
import { lambdaResources, startApp, temporaryDirectory, writeAssembly } from "./fixture.ts";
import { RestFixture } from "./rest-fixture.ts";

const directory = temporaryDirectory();
let app: LocalApp;

beforeAll(async () => {
  const rest = new RestFixture()
    .method("ANY", "/echo", "Echo")
    .method("GET", "/things/special", "Named")
    .method("GET", "/things/{id}", "Named")
    .method("GET", "/things/{id}/parts", "Named")
    .method("GET", "/files/{proxy+}", "Named")
    .method("GET", "/picture", "Picture")
    .method("GET", "/malformed", "Malformed")
    .method("GET", "/broken", "Broken")
    .method("GET", "/no-module", "NoModule")
    .method("GET", "/no-handler", "NoHandler")
    .method("GET", "/callback", "Callback")
    .method("GET", "/crash", "Crash")
    .method("GET", "/sleep", "Sleep")
    .method("GET", "/short-timeout", "ShortTimeout", { integration: { timeoutInMillis: 300 } })
    .method("GET", "/forbidden", "Named", { hasPermission: false })
    .method("GET", "/guarded", "Echo", { authorizer: "Gate" })
    .method("POST", "/guarded", "Echo", { authorizer: "Gate" })
    .method("GET", "/uncached", "Echo", { authorizer: "UncachedGate" })
    .method("OPTIONS", "/mock", "Named", {
      integration: {
        type: "mock",
        uri: undefined,
        responses: {
          default: {
            statusCode: "204",
            responseParameters: {
              "method.response.header.Allow": "'GET'",
              "method.response.header.x-request-id": "context.requestId",
            },
          },
        },
      },
    })
    .authorizer("Gate", "GateFunction", { type: "request", identitySource: "method.request.header.Authorization" })
    .authorizer("UncachedGate", "GateFunction", { type: "request", authorizerResultTtlInSeconds: 0 })
    .gatewayResponse("DEFAULT_4XX", {
      responseParameters: {
        "gatewayresponse.header.X-Static": "'fixed'",
        "gatewayresponse.header.X-Request": "context.requestId",
        "gatewayresponse.header.X-Agent": "method.request.header.x-agent",
        "gatewayresponse.header.X-Missing": "context.authorizer.nothing",
      },
      responseTemplates: {
        "application/problem+json":
          '{"type":"$context.error.responseType","detail":"$context.error.message","id":"$context.requestId"}',
      },
    })
    .gatewayResponse("ACCESS_DENIED", {
      statusCode: "401",
      responseTemplates: {
        "application/json": '{"detail":"$context.authorizer.detail","said":$context.error.messageString}',
      },
    })
    .gatewayResponse("MISSING_AUTHENTICATION_TOKEN", { statusCode: "404" });
  const assembly = writeAssembly(join(directory.path, "assembly"), {
    app: {
      Resources: {
        ...rest.resources,
        ...lambdaResources("Echo", "rest.echo", {
          environment: { GIVEN: "by the template", PLACE: { Ref: "AWS::Region" } },
        }),
        ...lambdaResources("Named", "rest.named"),
        ...lambdaResources("Picture", "rest.picture"),
        ...lambdaResources("Malformed", "rest.malformed"),
        ...lambdaResources("Broken", "rest.broken"),
        ...lambdaResources("NoModule", "nowhere.handler"),
        ...lambdaResources("NoHandler", "rest.nothing"),
        ...lambdaResources("Callback", "rest.callback"),
        ...lambdaResources("Crash", "rest.crash"),
        ...lambdaResources("Sleep", "rest.sleep", { timeout: 1 }),
        ...lambdaResources("ShortTimeout", "rest.sleep", { timeout: 5 }),
        ...lambdaResources("GateFunction", "rest.gate"),
      },
    },
  });
  app = await startApp(directory.path, assembly);
});

afterAll(async () => {
  await app?.close();
  directory.remove();
});

async function get(path: string, init: RequestInit = {}) {
  const response = await fetch(app.url + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

test.each([
  ["/things/special", { resource: "/things/special", parameters: null }],
  ["/things/special/", { resource: "/things/special", parameters: null }],
  ["/things/a%20b%2Fc", { resource: "/things/{id}", parameters: { id: "a b/c" } }],
  ["/things/special/parts", { resource: "/things/{id}/parts", parameters: { id: "special" } }],
  ["/files/a/b%20c", { resource: "/files/{proxy+}", parameters: { proxy: "a/b c" } }],
])("routing of the local REST API finds the resource and path parameters of %s", async (path, expected) => {
  expect((await get(path)).json()).toEqual(expected);
});

test.each(["/nowhere", "/things", "/files", "/things/1/other"])(
  "routing of the local REST API returns 404 for the unknown path %s",
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test("routing of the local REST API returns 404 for a method that the resource does not have, including HEAD", async () => {
  expect((await get("/things/1", { method: "POST" })).status).toBe(404);
  expect((await get("/things/1", { method: "HEAD" })).status).toBe(404);
  expect((await get("/echo", { method: "HEAD" })).status).toBe(200);
});

test("routing of the local REST API accepts a request line with an absolute URL and returns 404 for OPTIONS *", async () => {
  const send = async (method: string, path: string) => {
    const { hostname, port } = new URL(app.url);
    const [response] = await once(request({ hostname, port, method, path }).end(), "response");
    return { status: response.statusCode, text: await text(response) };
  };
  const { event } = JSON.parse((await send("GET", "http://elsewhere.test/echo?a=1")).text);
  expect([event.path, event.queryStringParameters]).toEqual(["/echo", { a: "1" }]);
  for (const target of ["*", "http://"]) expect((await send("OPTIONS", target)).status).toBe(404);
});

test("routing of the local REST API returns the response of a mock integration without invoking a function", async () => {
  const { status, headers } = await get("/mock", { method: "OPTIONS" });
  expect([status, headers.get("allow")]).toEqual([204, "GET"]);
  expect(headers.get("x-request-id")).toBe(headers.get("x-amzn-requestid"));
});

test("event of the local REST API has the fields of payload format 1.0", async () => {
  const { json } = await get("/echo?a=1&a=2&b=x%20y+z", {
    method: "PUT",
    headers: { "X-Mixed-Case": "value", "x-forwarded-for": "1.2.3.4", "content-type": "application/json" },
    body: '{"ü":1}',
  });
  const { event, context } = json();
  expect(event).toMatchObject({
    resource: "/echo",
    path: "/echo",
    httpMethod: "PUT",
    queryStringParameters: { a: "2", b: "x y z" },
    multiValueQueryStringParameters: { a: ["1", "2"], b: ["x y z"] },
    pathParameters: null,
    stageVariables: null,
    body: '{"ü":1}',
    isBase64Encoded: false,
    requestContext: {
      stage: "live",
      path: "/live/echo",
      resourcePath: "/echo",
      httpMethod: "PUT",
      identity: { sourceIp: "127.0.0.1" },
    },
  });
  expect(event.multiValueHeaders["X-Forwarded-For"]).toEqual(["1.2.3.4, 127.0.0.1"]);
  expect(event.requestContext.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(context).toMatchObject({ functionName: "app-Echo", functionVersion: "$LATEST", memoryLimitInMB: "128" });
  expect(context.remaining).toBeGreaterThan(9000);
});

test("event of the local REST API has null for a missing body, query string and path parameters", async () => {
  const { event } = (await get("/echo")).json();
  expect(event).toMatchObject({
    body: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
  });
});

test("event of the local REST API carries the body of a binary media type as base64", async () => {
  const { event } = (
    await get("/echo", { method: "POST", headers: { "content-type": "image/gif" }, body: new Uint8Array([1, 254]) })
  ).json();
  expect([event.isBase64Encoded, event.body]).toEqual([true, "Af4="]);
});

test("environment of a local function contains only the variables of its template and of Lambda", async () => {
  const { environment } = (await get("/echo")).json();
  const names = [
    "AWS_ACCESS_KEY_ID AWS_DEFAULT_REGION AWS_ENDPOINT_URL_DYNAMODB AWS_ENDPOINT_URL_LAMBDA AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL_SECRETS_MANAGER AWS_ENDPOINT_URL_SQS",
    "AWS_EXECUTION_ENV AWS_LAMBDA_FUNCTION_MEMORY_SIZE AWS_LAMBDA_FUNCTION_NAME AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_INITIALIZATION_TYPE AWS_LAMBDA_LOG_GROUP_NAME AWS_LAMBDA_LOG_STREAM_NAME AWS_REGION",
    "AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GIVEN LAMBDA_TASK_ROOT LANG PLACE TZ _HANDLER _X_AMZN_TRACE_ID",
  ];
  expect(Object.keys(environment).sort()).toEqual(names.join(" ").split(" "));
  expect(environment).toMatchObject({ GIVEN: "by the template", PLACE: "us-east-1", AWS_REGION: "us-east-1" });
});

test("response of the local REST API keeps headers, cookies and a binary body, and renames WWW-Authenticate as API Gateway does", async () => {
  const { status, headers, text } = await get("/picture", { headers: { accept: "image/png" } });
  expect([status, headers.get("content-type"), headers.getSetCookie()]).toEqual([201, "image/png", ["a=1", "b=2"]]);
  expect(headers.get("x-amzn-remapped-www-authenticate")).toBe("Bearer");
  expect(headers.get("www-authenticate")).toBeNull();
  expect(text).toHaveLength(3);
});

test("response of the local REST API has a base64 body when the client accepts no binary media type", async () => {
  expect((await get("/picture", { headers: { accept: "text/html" } })).text).toBe("AP8B");
});

test("response of the local REST API can come from a handler that uses a callback", async () => {
  expect((await get("/callback")).json()).toBe("called back");
});

test.each(["/malformed", "/broken", "/no-module", "/no-handler"])(
  "response of the local REST API has status 502 when the handler fails: %s",
  async (path) => {
    const { status, text } = await get(path);
    expect([status, text]).toEqual([502, '{"message":"Internal server error"}']);
  },
);

test("response of the local REST API has status 500 when API Gateway lacks permission to invoke the function", async () => {
  expect((await get("/forbidden")).status).toBe(500);
});

test("response of the local REST API has status 413 when the request body exceeds the limit of API Gateway or Lambda", async () => {
  const body = new Uint8Array(10 * 1024 * 1024 + 1);
  expect((await get("/echo", { method: "POST", body })).json()).toMatchObject({ type: "REQUEST_TOO_LARGE" });
  expect((await get("/echo", { method: "POST", body: body.slice(0, 7 * 1024 * 1024) })).status).toBe(413);
});

test.each(["exit", "throw"])(
  "worker thread of a local function is replaced after a crash caused by %s",
  async (how) => {
    expect((await get("/crash")).json()).toBe("alive");
    expect((await get(`/crash?how=${how}`)).status).toBe(502);
    expect((await get("/crash")).json()).toBe("alive");
  },
);

test("worker thread of a local function is started for each of ten concurrent invocations", async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => get("/sleep?ms=700")));
  expect(Math.max(...all.map(({ json }) => json().sleepers))).toBe(10);
});

test("worker thread of a local function is replaced when its invocation times out, and other invocations continue", async () => {
  const slow = get("/sleep?ms=5000");
  await sleep(700);
  const other = get("/sleep?ms=500");
  const { status, text } = await slow;
  expect([status, text]).toEqual([504, '{"message":"Endpoint request timed out"}']);
  expect((await other).status).toBe(200);
  expect((await get("/sleep")).json()).toEqual({ sleepers: 1 });
});

test("worker thread of a local function continues when API Gateway's timeout ends before the function does", async () => {
  expect((await get("/short-timeout?ms=1000")).status).toBe(504);
  // The worker counts its invocations. On a busy machine, a short one can exceed the timeout as well.
  await expect.poll(async () => (await get("/short-timeout?ms=1")).json().sleepers).toBeGreaterThan(1);
});

const getGuarded = (token: string, method = "GET", path = "/guarded") =>
  get(path, { method, headers: { Authorization: token } });

test("local Lambda authorizer passes its context as strings, and its result is cached by identity source", async () => {
  const first = (await getGuarded("ok")).json().event.requestContext.authorizer;
  expect(first).toMatchObject({ principalId: "someone", admin: "true", detail: "token was ok" });
  const second = (await getGuarded("ok")).json().event.requestContext.authorizer;
  expect(second.calls).toBe(first.calls);
  const uncached = (await getGuarded("ok", "GET", "/uncached")).json().event.requestContext.authorizer;
  expect(uncached.calls).not.toBe(first.calls);
});

test("local Lambda authorizer is not called for a request without its identity source", async () => {
  const { status, headers, json } = await get("/guarded", { headers: { "x-agent": "me" } });
  expect([status, headers.get("x-static"), headers.get("x-agent"), headers.get("x-missing")]).toEqual([
    401,
    "fixed",
    "me",
    null,
  ]);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(json()).toEqual({ type: "UNAUTHORIZED", detail: "Unauthorized", id: headers.get("x-request") });
});

test("local Lambda authorizer passes its context to the response template of a denied request", async () => {
  const { status, json } = await getGuarded("deny");
  expect(status).toBe(401);
  expect(json()).toEqual({
    detail: "token was deny",
    said: "User is not authorized to access this resource with an explicit deny",
  });
});

test("local Lambda authorizer leads to 401 for a POST request when its cached policy allows only GET", async () => {
  expect((await getGuarded("narrow")).status).toBe(200);
  expect((await getGuarded("narrow", "POST")).status).toBe(401);
});

test.each([
  ["throw", 401],
  ["fail", 500],
  ["nonsense", 500],
])(
  'local Lambda authorizer leads to an error status when it throws or returns an invalid result: token "%s"',
  async (token, status) => {
    expect((await getGuarded(token)).status).toBe(status);
  },
);

test.each([
  ["localhost", 200],
  ["site.localhost:8080", 200],
  ["[::1]:8787", 200],
  ["127.0.0.1", 200],
  ["Tunnel.example", 200],
  ["evil.example:8787", 421],
  ["localhost.evil.example", 421],
  ["127.0.0.1.evil.example", 421],
])(
  "local runner answers a request to the host %s with status %d, so that pages of other websites cannot reach it",
  async (host, status) => {
    const { hostname, port } = new URL(app.url);
    const [response] = await once(request({ hostname, port, path: "/echo", headers: { host } }).end(), "response");
    expect(response.statusCode).toBe(status);
  },
);
