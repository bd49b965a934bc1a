import { afterEach, describe, expect, it, vi } from "vitest";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { routes } from "#shared/api/routes.ts";
import { kebabCase } from "../../infra/naming.ts";
import { aRoute, manyRoutes, type Resource, resourcesOf, synthesise, type Templates } from "./synthesise.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const app = synthesise();

/** Path of an API resource by its logical id in the API's own template. */
function pathsOf(templates: Templates): Map<string, string> {
  const template = [...templates].find(([name]) => name.endsWith("-api.template.json"))?.[1] ?? {};
  const pathOf = (id: string): string => {
    const { ParentId, PathPart } = template[id]?.Properties ?? {};
    return `${ParentId.Ref ? pathOf(ParentId.Ref) : ""}/${PathPart}`;
  };
  const ids = Object.keys(template).filter((id) => template[id]?.Type === "AWS::ApiGateway::Resource");
  return new Map(ids.map((id) => [id, pathOf(id)]));
}

/** A nested stack calls what it is given `referenceto<stack><id in the parent>Ref`. */
function pathOfMethod({ Properties: { ResourceId } }: Resource, paths: Map<string, string>): string {
  if (ResourceId["Fn::GetAtt"]) return "/";
  const given = /^referencetoswitchboardprodapi(.+)Ref$/.exec(ResourceId.Ref)?.[1];
  if (!given) return paths.get(ResourceId.Ref) ?? "";
  // The hash at the end differs between a resource and the parameter it is passed as.
  const readable = given.slice(0, -8);
  return [...paths].find(([id]) => id.slice(0, -8) === readable)?.[1] ?? "";
}

describe("routes", () => {
  const regular = routes.filter((route) => !route.streaming);
  const paths = pathsOf(app);
  const methods = resourcesOf(app, "AWS::ApiGateway::Method").map((method) => ({
    method: method.Properties.HttpMethod,
    path: pathOfMethod(method, paths),
    authorization: method.Properties.AuthorizationType,
  }));

  it("gives each regular route one method, and its authorizer", () => {
    const expected = regular.map(({ method, path, auth }) => ({
      method,
      path,
      authorization: auth === "none" ? "NONE" : "CUSTOM",
    }));
    const any = new Set(expected.filter(({ method }) => method === "ANY").map(({ path }) => path));
    const found = methods.filter(({ method, path }) => !/^(ANY|OPTIONS)$/.test(method) || any.has(path));
    expect(found).toHaveLength(expected.length);
    expect(found).toEqual(expect.arrayContaining(expected));
  });

  it("answers preflights of what pages of other origins call, without a function", () => {
    const preflights = methods.filter(({ method }) => method === "OPTIONS").map(({ path }) => path);
    const called = regular.filter(({ auth }) => auth === "embed-key").map(({ path }) => path);
    expect(preflights.toSorted()).toEqual([...new Set(called)].sort());
    expect(preflights).not.toEqual([]);
  });

  it("answers on every path, whatever the method", () => {
    const answered = methods.filter(({ method }) => method === "ANY").map(({ path }) => path);
    expect(answered.toSorted()).toEqual(["/", ...paths.values()].sort());
    expect(answered).toContain("/{proxy+}");
  });

  it("gives each route one function of its own", () => {
    const names = resourcesOf(app, "AWS::Lambda::Function").map(({ Properties }) => Properties.FunctionName);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(routes.map(({ id }) => `switchboard-prod-${kebabCase(id)}`)));
  });

  it("traces and logs every function, on the newest runtime", () => {
    const functions = resourcesOf(app, "AWS::Lambda::Function");
    expect(resourcesOf(app, "AWS::Logs::LogGroup")).toHaveLength(functions.length + 1);
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        TracingConfig: { Mode: "Active" },
        LoggingConfig: { LogGroup: { Ref: expect.any(String) } },
      });
    }
  });

  it("refuses two names for one parameter, which API Gateway would do at deployment only", () => {
    const clash = [
      aRoute({ id: "getThing", path: "/v1/things/{id}" }),
      aRoute({ id: "getPart", path: "/v1/things/{thing_id}/part" }),
    ];
    expect(() => synthesise({ routes: clash })).toThrow("Conflicting path parameters below /v1/things: {id} and");
  });
});

describe("authorizers", () => {
  const jwt = (stage: "local" | "prod") =>
    resourcesOf(synthesise({ stage }), "AWS::ApiGateway::Authorizer")[0]?.Properties;

  it("remembers tokens", () => {
    expect(jwt("prod")).toMatchObject({
      Type: "REQUEST",
      AuthorizerResultTtlInSeconds: 300,
      IdentitySource: "method.request.header.Authorization",
    });
  });

  it("asks for none in local mode", () => {
    expect(jwt("local")).toMatchObject({ AuthorizerResultTtlInSeconds: 0 });
    expect(jwt("local")).not.toHaveProperty("IdentitySource");
  });
});

describe("gateway responses", () => {
  const responses = resourcesOf(app, "AWS::ApiGateway::GatewayResponse").map(({ Properties }) => Properties);
  const header = (name: string) => `gatewayresponse.header.${name}`;

  // A refusing authorizer brings its own answer along.
  const written = responses.filter(({ ResponseType }) => ResponseType !== "ACCESS_DENIED");

  it.each(written.map((response) => [response.ResponseType, response] as const))("%s is a problem", (_, response) => {
    const problem = JSON.parse(response.ResponseTemplates["application/json"]);
    const { status, title } = problemCodes[problem.code as keyof typeof problemCodes];
    expect(problem).toEqual({
      type: `/problems/${problem.code.replaceAll("_", "-")}`,
      title,
      status,
      detail: expect.stringMatching(/^[A-Z].*\.$/),
      request_id: "$context.requestId",
      code: problem.code,
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
  });

  it.each(["ACCESS_DENIED", "UNAUTHORIZED"])("%s is 401: authorizers never say 403", (type) => {
    expect(responses.find(({ ResponseType }) => ResponseType === type)?.StatusCode).toBe("401");
  });

  it("gives the authorizer's reason for a refusal", () => {
    const authorizerDenial = responses.find(({ ResponseType }) => ResponseType === "ACCESS_DENIED");
    expect(authorizerDenial?.ResponseTemplates["application/json"]).toContain("$context.authorizer.");
  });

  it("has literal values that are quoted once", () => {
    const values = responses.flatMap(({ ResponseParameters }) => Object.values<string>(ResponseParameters));
    for (const value of values) expect(value).toMatch(/^('[^']*'|context(\.\w+)+)$/);
  });
});

describe("a method", () => {
  const idsOf = (id: string) => {
    const streamed = aRoute({ id: "followThing", path: "/v1/things/{id}/stream", streaming: true });
    const templates = synthesise({ routes: [aRoute({ id, path: "/v1/things/{id}" }), streamed] });
    return [...templates.values()].flatMap((resources) =>
      Object.keys(resources).filter((each) => resources[each]?.Type === "AWS::ApiGateway::Method"),
    );
  };

  it("stays where it is when its route is renamed: API Gateway refuses a second one in its place", () => {
    expect(idsOf("fetchThing")).toEqual(idsOf("getThing"));
  });
});

describe("deployment", () => {
  const idOf = (templates: Templates) =>
    [...templates.values()].flatMap((resources) =>
      Object.keys(resources).filter((id) => resources[id]?.Type === "AWS::ApiGateway::Deployment"),
    );
  const before = idOf(synthesise({ routes: manyRoutes(6) }));
  const changed = (change: (routes: ReturnType<typeof manyRoutes>) => void) => {
    const changing = manyRoutes(6);
    change(changing);
    return idOf(synthesise({ routes: changing }));
  };

  it("stays while the routes do", () => {
    expect(idOf(synthesise({ routes: manyRoutes(6) }))).toEqual(before);
  });

  it("is made anew when a route comes, goes, or changes its path or credential", () => {
    const first = manyRoutes(6)[0];
    const variants = [
      changed((list) => list.push(aRoute({ path: "/v1/other" }))),
      changed((list) => list.pop()),
      changed((list) => list.splice(0, 1, { ...aRoute({}), ...first, path: "/v1/elsewhere" })),
      changed((list) => list.splice(0, 1, { ...aRoute({}), ...first, auth: "jwt" })),
    ];
    for (const variant of variants) expect(variant).not.toEqual(before);
    expect(new Set(variants.flat()).size).toBe(variants.length);
  });

  it("waits for every method, authorizer and gateway response", () => {
    const template = [...app].find(([name]) => name.endsWith("-api.template.json"))?.[1] ?? {};
    const snapshot = Object.values(template).find(({ Type }) => Type === "AWS::ApiGateway::Deployment");
    const waitsFor = new Set((snapshot as { DependsOn?: string[] } | undefined)?.DependsOn);
    const held = Object.entries(template).filter(([, { Type }]) =>
      /^AWS::(ApiGateway::(Method|Authorizer|GatewayResponse)|CloudFormation::Stack)$/.test(Type),
    );
    expect(held.map(([id]) => id).filter((id) => !waitsFor.has(id))).toEqual([]);
  });
});
