import { afterEach, describe, expect, it, vi } from "vitest";
import { isSigned } from "#shared/api/define-route.ts";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { routes } from "#shared/api/routes.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { openaiError } from "#shared/openai/openai-error.ts";
import { gatewayResponses } from "../../infra/constructs/gateway-responses.ts";
import { kebabCase } from "../../infra/naming.ts";
import { createRoute, createRoutes, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const app = synthesize();

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly "x-amazon-apigateway-integration": {
    readonly type: string;
    readonly uri?: unknown;
    readonly credentials?: { readonly "Fn::GetAtt": readonly [string, string] };
  };
}

interface ApiBody {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, object>>>> };
}

const bodiesOf = (templates: Templates) =>
  resourcesOf(templates, "AWS::ApiGateway::RestApi").map(({ Properties }): ApiBody => Properties.Body);

const pathsOf = (templates: Templates) => bodiesOf(templates).flatMap(({ paths }) => Object.entries(paths));

/** Returns the methods of the APIs, the one for all others as `ANY`. */
const methodsOf = (templates: Templates) =>
  pathsOf(templates).flatMap(([path, operations]) =>
    Object.entries(operations).map(([field, operation]) => ({
      path,
      method: field === "x-amazon-apigateway-any-method" ? "ANY" : field.toUpperCase(),
      operation,
    })),
  );

describe("API Gateway route", () => {
  const regular = routes.filter((route) => !route.streaming);
  const methods = methodsOf(app);

  it("API Gateway route has one method, with the authorizer for its kind of credential", () => {
    const expected = regular.map(({ method, path, auth }) => ({
      method,
      path,
      // The function itself verifies what belongs to a body, so that it can record refused deliveries.
      scheme: auth === "none" || isSigned(auth) ? undefined : auth,
    }));
    const anyPaths = new Set(expected.filter(({ method }) => method === "ANY").map(({ path }) => path));
    const routeMethods = methods
      .filter(({ method, path }) => !/^(ANY|OPTIONS|HEAD)$/.test(method) || anyPaths.has(path))
      .map(({ method, path, operation: { security } }) => ({
        method,
        path,
        scheme: Object.keys(security?.[0] ?? {})[0],
      }));
    expect(routeMethods).toHaveLength(expected.length);
    expect(routeMethods).toEqual(expect.arrayContaining(expected));
  });

  it("API Gateway route answers the CORS preflight of a cross-origin route without invoking a function", () => {
    const preflights = methods.filter(({ method }) => method === "OPTIONS").map(({ path }) => path);
    const crossOriginPaths = regular
      .filter(({ auth }) => auth === "embed-key" || auth === "api-key")
      .map(({ path }) => path);
    expect(preflights.toSorted()).toEqual([...new Set(crossOriginPaths)].sort());
    expect(preflights).not.toEqual([]);
  });

  it("API Gateway route has a catch-all method for other HTTP methods on its path", () => {
    const catchAllPaths = methods.filter(({ method }) => method === "ANY").map(({ path }) => path);
    expect(catchAllPaths.toSorted()).toEqual(
      pathsOf(app)
        .map(([path]) => path)
        .toSorted(),
    );
    expect(catchAllPaths).toEqual(expect.arrayContaining(["/", "/v1", "/{proxy+}"]));
  });

  it("API Gateway route names each parameter of its path in each method, as an import needs", () => {
    for (const { path, operation } of methods) {
      const names = (operation.parameters ?? []).map(({ name }) => name);
      expect(names, path).toEqual([...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name));
    }
  });

  it("API Gateway route invokes its function with a role that may invoke the functions of the API and no others", () => {
    const names = resourcesOf(app, "AWS::Lambda::Function").map(({ Properties }) => String(Properties.FunctionName));
    const invoked = methods.flatMap(({ operation: { "x-amazon-apigateway-integration": integration } }) => {
      if (integration.type === "mock") return [];
      expect(integration.credentials?.["Fn::GetAtt"][0]).toMatch(/^InvokeOperationsRole/);
      return [/function:([\w-]+)\/invocations/.exec(JSON.stringify(integration.uri))?.[1] ?? ""];
    });
    expect([...new Set(invoked)].toSorted()).toEqual(
      names.filter((name) => name.startsWith("switchboard-prod_")).toSorted(),
    );
    const roles = resourcesOf(app, "AWS::IAM::Role").filter(({ Properties }) =>
      JSON.stringify(Properties).includes("lambda:InvokeFunction"),
    );
    const allowed = roles.flatMap(({ Properties }) => {
      expect(JSON.stringify(Properties.AssumeRolePolicyDocument)).toContain("aws:SourceAccount");
      return JSON.stringify(Properties.Policies).match(/(?<=:function:)[\w*-]+/g);
    });
    const authorizers = names.filter((name) => name.includes("-authorizer-"));
    expect(allowed.toSorted()).toEqual(["switchboard-prod_*", ...authorizers].toSorted());
  });

  it("API Gateway route has a Lambda function of its own", () => {
    const names = resourcesOf(app, "AWS::Lambda::Function").map(({ Properties }) => Properties.FunctionName);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(
        routes.map(({ id, streaming }) => `switchboard-prod${streaming ? "-" : "_"}${kebabCase(id)}`),
      ),
    );
  });

  it("every Lambda function of the API has a log group, the current Node.js runtime and the architecture arm64", () => {
    const functions = resourcesOf(app, "AWS::Lambda::Function");
    expect(resourcesOf(app, "AWS::Logs::LogGroup")).toHaveLength(functions.length + 1);
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        LoggingConfig: { LogGroup: { Ref: expect.any(String) }, SystemLogLevel: "WARN" },
      });
    }
  });

  it("API Gateway route cannot be synthesized when another route has a different parameter name at the same position", () => {
    const conflictingRoutes = [
      createRoute({ id: "getThing", path: "/v1/things/{id}" }),
      createRoute({ id: "getPart", path: "/v1/things/{thing_id}/part" }),
    ];
    expect(() => synthesize({ routes: conflictingRoutes })).toThrow(
      "Conflicting path parameters below /v1/things: {id} and",
    );
  });
});

describe("JWT authorizer", () => {
  const jwtAuthorizer = (stage: "local" | "prod") =>
    bodiesOf(synthesize({ stage, routeIds: ["startChat", "listFolders"] }))[0]?.components.securitySchemes.jwt?.[
      "x-amazon-apigateway-authorizer"
    ];

  it("JWT authorizer has its results cached for 300 seconds per token", () => {
    expect(jwtAuthorizer("prod")).toMatchObject({
      type: "request",
      authorizerResultTtlInSeconds: 300,
      identitySource: "method.request.header.Authorization",
    });
  });

  it("JWT authorizer needs no token and has no cached results in the stage local", () => {
    expect(jwtAuthorizer("local")).toMatchObject({ authorizerResultTtlInSeconds: 0 });
    expect(jwtAuthorizer("local")).not.toHaveProperty("identitySource");
  });
});

describe("error response of API Gateway", () => {
  const responses = Object.entries(gatewayResponses()).map(([responseType, response]) => ({
    responseType,
    ...(response as {
      statusCode: string;
      responseTemplates: Record<string, string>;
      responseParameters: Record<string, string>;
    }),
  }));
  const header = (name: string) => `gatewayresponse.header.${name}`;

  it.each(responses.map((response) => [response.responseType, response] as const))(
    "error response of API Gateway %s is a problem document that also contains OpenAI's error object",
    (_, response) => {
      const problem = JSON.parse(response.responseTemplates["application/json"] ?? "");
      const { status, title } = problemCodes[problem.code as keyof typeof problemCodes];
      const { error } = openaiError(new ServiceError(problem.code, problem.detail));
      const isDenial = response.responseType === "ACCESS_DENIED";
      expect(problem).toEqual({
        type: isDenial ? "$context.authorizer.type" : `/problems/${problem.code.replaceAll("_", "-")}`,
        title,
        status,
        detail: expect.stringMatching(/^([A-Z].*\.|\$context\.authorizer\.detail)$/),
        request_id: "$context.requestId",
        code: problem.code,
        error: isDenial ? { ...error, type: "$context.authorizer.error_type" } : error,
      });
      expect(response.statusCode).toBe(String(status));
      expect(response.responseParameters).toMatchObject({
        [header("Content-Type")]: "'application/problem+json'",
        [header("x-request-id")]: "context.requestId",
        [header("X-RateLimit-Limit")]: "'0'",
        [header("X-RateLimit-Remaining")]: "'0'",
        [header("X-RateLimit-Reset")]: "'0'",
        [header("cache-control")]: "'no-store'",
        [header("strict-transport-security")]: expect.any(String),
        [header("x-content-type-options")]: "'nosniff'",
        [header("referrer-policy")]: expect.any(String),
        [header("x-frame-options")]: "'DENY'",
      });
      if (status === 401) expect(response.responseParameters).toHaveProperty([header("WWW-Authenticate")], "'Bearer'");
    },
  );

  it("error response of API Gateway INTEGRATION_FAILURE, which a throttled function causes, has status 503 and tells clients to try again", () => {
    const response = responses.find(({ responseType }) => responseType === "INTEGRATION_FAILURE");
    expect(response?.statusCode).toBe("503");
    expect(response?.responseParameters).toMatchObject({ [header("Retry-After")]: "'1'" });
    expect(response?.responseParameters).not.toHaveProperty([header("x-should-retry")]);
  });

  it.each(["ACCESS_DENIED", "UNAUTHORIZED"])("error response of API Gateway %s has status 401", (type) => {
    expect(responses.find(({ responseType }) => responseType === type)?.statusCode).toBe("401");
  });

  it("error response of API Gateway contains the authorizer's reason when the authorizer denies a request", () => {
    const authorizerDenial = responses.find(({ responseType }) => responseType === "ACCESS_DENIED");
    const { detail, error } = JSON.parse(authorizerDenial?.responseTemplates["application/json"] ?? "");
    expect([detail, error.message]).toEqual(["$context.authorizer.detail", "$context.authorizer.detail"]);
  });

  it("error response of API Gateway has only constants and the request id as header values", () => {
    const values = responses.flatMap(({ responseParameters }) => Object.values<string>(responseParameters));
    for (const value of values) expect(value).toMatch(/^('[^']*'|context\.requestId)$/);
  });
});

describe("API Gateway deployment", () => {
  const listDeploymentIds = (templates: Templates) =>
    [...templates.values()].flatMap((resources) =>
      Object.keys(resources).filter((id) => resources[id]?.Type === "AWS::ApiGateway::Deployment"),
    );
  const before = listDeploymentIds(synthesize({ routes: createRoutes(6) }));
  const deploymentIdsAfter = (change: (routes: ReturnType<typeof createRoutes>) => void) => {
    const changedRoutes = createRoutes(6);
    change(changedRoutes);
    return listDeploymentIds(synthesize({ routes: changedRoutes }));
  };

  it("API Gateway deployment keeps its logical id while routes are unchanged", () => {
    expect(listDeploymentIds(synthesize({ routes: createRoutes(6) }))).toEqual(before);
  });

  it("API Gateway deployment is replaced when a route is added or removed or changes its path or authorizer", () => {
    const first = createRoutes(6)[0];
    const variants = [
      deploymentIdsAfter((list) => list.push(createRoute({ path: "/v1/other" }))),
      deploymentIdsAfter((list) => list.pop()),
      deploymentIdsAfter((list) => list.splice(0, 1, { ...createRoute({}), ...first, path: "/v1/elsewhere" })),
      deploymentIdsAfter((list) => list.splice(0, 1, { ...createRoute({}), ...first, auth: "jwt" })),
    ];
    for (const variant of variants) expect(variant).not.toEqual(before);
    expect(new Set(variants.flat()).size).toBe(variants.length);
  });

  it("API Gateway deployment waits for all functions, so that it serves no route before its function exists", () => {
    const template = [...app].find(([name]) => name.endsWith("-api.template.json"))?.[1] ?? {};
    const snapshot = Object.values(template).find(({ Type }) => Type === "AWS::ApiGateway::Deployment");
    const dependencies = new Set((snapshot as { DependsOn?: string[] } | undefined)?.DependsOn);
    const nested = Object.entries(template).filter(([, { Type }]) => Type === "AWS::CloudFormation::Stack");
    expect(nested.length).toBeGreaterThan(10);
    expect(nested.map(([id]) => id).filter((id) => !dependencies.has(id))).toEqual([]);
  });

  it("API Gateway deployment of a new definition replaces the whole API, and fails if a part of it is not understood", () => {
    const properties = resourcesOf(app, "AWS::ApiGateway::RestApi")[0]?.Properties;
    expect(properties).toMatchObject({
      Mode: "overwrite",
      FailOnWarnings: true,
      Parameters: { endpointConfigurationTypes: "REGIONAL" },
      Body: { "x-amazon-apigateway-binary-media-types": ["application/octet-stream", "multipart/form-data"] },
    });
    const extensions = Object.keys(properties.Body).filter((name) => name.startsWith("x-"));
    expect(extensions).toEqual(["x-amazon-apigateway-binary-media-types", "x-amazon-apigateway-gateway-responses"]);
  });
});
