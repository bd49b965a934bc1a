import { afterEach, describe, expect, it, vi } from "vitest";
import { isSigned } from "#shared/api/define-route.ts";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { routes } from "#shared/api/routes.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { openaiError } from "#shared/openai/openai-error.ts";
import { kebabCase } from "../../infra/naming.ts";
import { createRoute, createRoutes, type Resource, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const app = synthesize();

/** Returns the paths of API resources by logical id, in all templates of the API. */
function collectPaths(templates: Templates): Map<string, string> {
  const resources = new Map(
    [...templates.values()].flatMap((template) =>
      Object.entries(template).filter(([, { Type }]) => Type === "AWS::ApiGateway::Resource"),
    ),
  );
  const pathOf = (id: string): string => {
    const { ParentId, PathPart } = resources.get(id)?.Properties ?? {};
    const parent = ParentId.Ref && findReferenced(ParentId.Ref, [...resources.keys()]);
    return `${parent ? pathOf(parent) : ""}/${PathPart}`;
  };
  return new Map([...resources.keys()].map((id) => [id, pathOf(id)]));
}

/**
 * Returns the logical id that a reference names. Templates receive ids of other ones as parameters, whose names end with the id and `Ref`;
 * ids in the stack of the API have another hash than the parameter.
 */
function findReferenced(reference: string, ids: readonly string[]): string | undefined {
  if (ids.includes(reference)) return reference;
  const parameterName = /^referencetoswitchboardprodapi(.+)Ref$/.exec(reference)?.[1]?.slice(0, -8) ?? "";
  const named = ids.filter((id) => parameterName.endsWith(id.replace(/[\dA-F]{8}$/, "")));
  return named.toSorted((one, other) => other.length - one.length)[0];
}

/** Returns the path of a method. */
function findMethodPath({ Properties: { ResourceId } }: Resource, paths: Map<string, string>): string {
  if (ResourceId["Fn::GetAtt"]) return "/";
  return paths.get(findReferenced(ResourceId.Ref, [...paths.keys()]) ?? "") ?? "";
}

describe("API Gateway route", () => {
  const regular = routes.filter((route) => !route.streaming);
  const paths = collectPaths(app);
  const methods = resourcesOf(app, "AWS::ApiGateway::Method").map((method) => ({
    method: method.Properties.HttpMethod,
    path: findMethodPath(method, paths),
    authorization: method.Properties.AuthorizationType,
  }));

  it("API Gateway route has one method, with the authorizer for its kind of credential", () => {
    const expected = regular.map(({ method, path, auth }) => ({
      method,
      path,
      // The function itself verifies what belongs to a body, so that it can record refused deliveries.
      authorization: auth === "none" || isSigned(auth) ? "NONE" : "CUSTOM",
    }));
    const anyPaths = new Set(expected.filter(({ method }) => method === "ANY").map(({ path }) => path));
    const routeMethods = methods.filter(
      ({ method, path }) => !/^(ANY|OPTIONS|HEAD)$/.test(method) || anyPaths.has(path),
    );
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
    expect(catchAllPaths.toSorted()).toEqual(["/", ...paths.values()].sort());
    expect(catchAllPaths).toContain("/{proxy+}");
  });

  it("API Gateway route has a Lambda function of its own", () => {
    const names = resourcesOf(app, "AWS::Lambda::Function").map(({ Properties }) => Properties.FunctionName);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(routes.map(({ id }) => `switchboard-prod-${kebabCase(id)}`)));
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
    resourcesOf(synthesize({ stage, routeIds: ["startChat", "listFolders"] }), "AWS::ApiGateway::Authorizer")[0]
      ?.Properties;

  it("JWT authorizer has its results cached for 300 seconds per token", () => {
    expect(jwtAuthorizer("prod")).toMatchObject({
      Type: "REQUEST",
      AuthorizerResultTtlInSeconds: 300,
      IdentitySource: "method.request.header.Authorization",
    });
  });

  it("JWT authorizer needs no token and has no cached results in the stage local", () => {
    expect(jwtAuthorizer("local")).toMatchObject({ AuthorizerResultTtlInSeconds: 0 });
    expect(jwtAuthorizer("local")).not.toHaveProperty("IdentitySource");
  });
});

describe("error response of API Gateway", () => {
  const responses = resourcesOf(app, "AWS::ApiGateway::GatewayResponse").map(({ Properties }) => Properties);
  const header = (name: string) => `gatewayresponse.header.${name}`;

  it.each(responses.map((response) => [response.ResponseType, response] as const))(
    "error response of API Gateway %s is a problem document that also contains OpenAI's error object",
    (_, response) => {
      const problem = JSON.parse(response.ResponseTemplates["application/json"]);
      const { status, title } = problemCodes[problem.code as keyof typeof problemCodes];
      expect(problem).toEqual({
        type: `/problems/${problem.code.replaceAll("_", "-")}`,
        title,
        status,
        detail: expect.stringMatching(/^([A-Z].*\.|\$context\.authorizer\.detail)$/),
        request_id: "$context.requestId",
        code: problem.code,
        error: { ...openaiError(new ServiceError(problem.code, problem.detail)).error },
      });
      expect(response.StatusCode).toBe(String(status));
      expect(response.ResponseParameters).toMatchObject({
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
      if (status === 401) expect(response.ResponseParameters).toHaveProperty([header("WWW-Authenticate")], "'Bearer'");
    },
  );

  it("error response of API Gateway INTEGRATION_FAILURE, which a throttled function causes, has status 503 and tells clients to try again", () => {
    const response = responses.find(({ ResponseType }) => ResponseType === "INTEGRATION_FAILURE");
    expect(response?.StatusCode).toBe("503");
    expect(response?.ResponseParameters).toMatchObject({ [header("Retry-After")]: "'1'" });
    expect(response?.ResponseParameters).not.toHaveProperty([header("x-should-retry")]);
  });

  it.each(["ACCESS_DENIED", "UNAUTHORIZED"])("error response of API Gateway %s has status 401", (type) => {
    expect(responses.find(({ ResponseType }) => ResponseType === type)?.StatusCode).toBe("401");
  });

  it("error response of API Gateway contains the authorizer's reason when the authorizer denies a request", () => {
    const authorizerDenial = responses.find(({ ResponseType }) => ResponseType === "ACCESS_DENIED");
    const { detail, error } = JSON.parse(authorizerDenial?.ResponseTemplates["application/json"]);
    expect([detail, error.message]).toEqual(["$context.authorizer.detail", "$context.authorizer.detail"]);
  });

  it("error response of API Gateway has only constants and the request id as header values", () => {
    const values = responses.flatMap(({ ResponseParameters }) => Object.values<string>(ResponseParameters));
    for (const value of values) expect(value).toMatch(/^('[^']*'|context\.requestId)$/);
  });
});

describe("API Gateway method", () => {
  const listMethodIds = (id: string) => {
    const streamed = createRoute({ id: "followThing", path: "/v1/things/{id}/stream", streaming: true });
    const templates = synthesize({ routes: [createRoute({ id, path: "/v1/things/{id}" }), streamed] });
    return [...templates.values()].flatMap((resources) =>
      Object.keys(resources).filter((logicalId) => resources[logicalId]?.Type === "AWS::ApiGateway::Method"),
    );
  };

  it("API Gateway method keeps its logical id when its route is renamed", () => {
    expect(listMethodIds("fetchThing")).toEqual(listMethodIds("getThing"));
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

  it("API Gateway deployment depends on every method, authorizer and error response of the API", () => {
    const template = [...app].find(([name]) => name.endsWith("-api.template.json"))?.[1] ?? {};
    const snapshot = Object.values(template).find(({ Type }) => Type === "AWS::ApiGateway::Deployment");
    const dependencies = new Set((snapshot as { DependsOn?: string[] } | undefined)?.DependsOn);
    const requiredDependencies = Object.entries(template).filter(([, { Type }]) =>
      /^AWS::(ApiGateway::(Method|Authorizer|GatewayResponse)|CloudFormation::Stack)$/.test(Type),
    );
    expect(requiredDependencies.map(([id]) => id).filter((id) => !dependencies.has(id))).toEqual([]);
  });
});
