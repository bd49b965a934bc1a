import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { rateLimitSettings, rateLimitsOf } from "#shared/tenancy/rate-limit-settings.ts";
import { bundleFunctions } from "../../infra/bundle/bundle.ts";
import { type Bundle, planFunctions } from "../../infra/bundle/bundle-plan.ts";
import { functionEnvironment } from "../../infra/constructs/function-environment.ts";
import { CODE_STORAGE_BYTES } from "../../infra/limits.ts";
import { entryPointOf, kebabCase, notFoundEntryPoint } from "../../infra/naming.ts";
import { type Resource, resourcesOf, synthesize, type Templates } from "./synthesize.ts";

const secretReference = (name: string) => `{{resolve:secretsmanager:${name}:SecretString}}`;

let bundle: Bundle;
let templates: Templates;
/** Properties of the functions by name without the prefix of the stage. */
let functions: Map<string, Resource["Properties"]>;

const synthesizeBundle = () => synthesize({ bundle });

beforeAll(async () => {
  bundle = await bundleFunctions(planFunctions(process.cwd(), "minified"));
  for (const name of [
    "MODEL_API_KEY",
    "EMBEDDING_API_KEY",
    "GUARDRAIL_API_KEY",
    "RERANK_API_KEY",
    "WEB_SEARCH_API_KEY",
  ]) {
    vi.stubEnv(name, secretReference(name));
  }
  vi.stubEnv("MODEL_PROVIDER", "bedrock");
  vi.stubEnv("MODEL_ID", "amazon.nova-lite-v1:0");
  vi.stubEnv("EMBEDDING_PROVIDER", "openai-compatible");
  vi.stubEnv("EMBEDDING_BASE_URL", "https://models.example.com/v1");
  vi.stubEnv("GUARDRAIL_PROVIDER", "bedrock");
  vi.stubEnv("GUARDRAIL_ID", "g1");
  templates = synthesizeBundle();
  functions = new Map(
    resourcesOf(templates, "AWS::Lambda::Function").map(({ Properties }) => [
      String(Properties.FunctionName).replace(/^switchboard-prod[-_]/, ""),
      Properties,
    ]),
  );
});

afterAll(() => vi.unstubAllEnvs());

const variablesOf = (name: string) => Object.keys(functions.get(name)?.Environment?.Variables ?? {}).sort();

/** Returns the names of the functions that have a variable. */
const ownersOf = (variable: string) =>
  [...functions.keys()].filter((name) => variablesOf(name).includes(variable)).sort();

/** Functions that call a language model. */
const modelFunctions = [
  "call-mcp",
  "compact-response",
  "continue-run",
  "create-anthropic-message",
  "create-chat-completion",
  "create-completion",
  "create-response",
  "send-embed-message",
  "start-chat",
];

/** Functions that search by meaning, or compute vectors. */
const embeddingFunctions = [
  ...modelFunctions,
  "changes-index-documents",
  "create-embedding",
  "embed-passages",
  "list-visitor-questions",
  "search-knowledge",
];

/** Functions that derive or verify credentials and tokens. */
const signingFunctions = [
  "authorizer-jwt",
  "call-mcp",
  "call-tool-server",
  "cancel-chat-completion",
  "cancel-response",
  "check-tool-server",
  "compact-response",
  "complete-messenger-installation",
  "complete-tool-sign-in",
  "confirm-embed-tool-call",
  "continue-run",
  "count-response-tokens",
  "create-anthropic-message",
  "create-api-key",
  "create-approval",
  "create-chat-completion",
  "create-completion",
  "create-conversation-items",
  "create-embed-attachment",
  "create-embed-key",
  "create-event-endpoint",
  "create-language-model",
  "create-messenger-workspace",
  "create-openai-conversation",
  "create-response",
  "create-schedule",
  "create-share-link",
  "create-test-run",
  "create-token",
  "create-tool-server",
  "delete-data",
  "delete-tool-server",
  "delete-tool-sign-in",
  "deliver-event",
  "download-export",
  "end-embed-handover",
  "get-approval",
  "get-embed-attachment",
  "get-embed-handover",
  "get-embed-session",
  "get-export",
  "get-key-set",
  "get-shared-conversation",
  "give-feedback",
  "ingest-alert",
  "list-api-keys",
  "list-exports",
  "publish-persona",
  "publish-persona-version",
  "rate-embed-message",
  "receive-slack-request",
  "register-webhook",
  "request-embed-handover",
  "request-embed-transcript",
  "resume-chat",
  "resume-embed-message",
  "rotate-event-endpoint-secret",
  "rotate-webhook-secret",
  "send-embed-message",
  "start-chat",
  "start-embed-session",
  "stop-embed-message",
  "update-event-endpoint",
  "update-language-model",
  "update-messenger-workspace",
  "update-schedule",
  "update-tool-server",
  "update-webhook",
];

/** Entry points with the names of their functions. */
const entries = (): (readonly [name: string, entry: string])[] => [
  ...routes.map((route) => [kebabCase(route.id), entryPointOf(route)] as const),
  ["route-not-found", notFoundEntryPoint],
  ...bundle.jobs.map((entry) => [entry.replace(/^.*\/|\.ts$/g, ""), entry] as const),
  ...bundle.processors.map((entry) => [`changes-${entry.split("/").at(-2)}`, entry] as const),
  ...["api-key", "deployment-key", "embed-key", "jwt"].map(
    (credential) => [`authorizer-${credential}`, `functions/authorizers/${credential}.ts`] as const,
  ),
];

const knownVariables = new Set<string>(readFileSync("shared/lib/env.ts", "utf8").match(/\b[A-Z][A-Z0-9_]+\b/g));

/** Returns the variables that a bundle passes to the functions that read the environment. */
function readVariables(entry: string): string[] {
  const code = readFileSync(join(bundle.codeOf(entry).directory, "index.cjs"), "utf8").replaceAll("\\\n", "");
  const calls = [...code.matchAll(/\b(?:env|findSetting)\d*\s*\(([^()]*)\)/g)].map(([, names = ""]) => names);
  const names = calls.flatMap((list) => [...list.matchAll(/"([A-Z][A-Z0-9_]+)"/g)].map(([, name = ""]) => name));
  // The pattern also matches calls of a dependency's function with the same name.
  return names.filter((name) => knownVariables.has(name));
}

const usersRoutes = new Set(routes.filter(({ auth }) => auth === "jwt").map(({ id }) => kebabCase(id)));

it("environment variables of a function include the origin secret if and only if the function answers requests", () => {
  const answering = entries().filter(([, entry]) => !/^functions\/(jobs|changes)\//.test(entry));
  expect(ownersOf("ORIGIN_SECRET")).toEqual(answering.map(([name]) => name).sort());
});

it("environment variables of a function name secrets of providers that the function may read, and contain no references for CloudFormation", () => {
  for (const [name, properties] of functions) {
    const variables: Record<string, unknown> = properties.Environment?.Variables ?? {};
    const named = Object.entries(variables).filter(([key]) => key.endsWith("_API_KEY") && !key.startsWith("RATE_"));
    expect(named.map(([key, value]) => [name, key, value])).toEqual(named.map(([key]) => [name, key, `secret:${key}`]));
    const role = [...templates.values()].map((stack) => stack[properties.Role["Fn::GetAtt"][0]]).find(Boolean);
    const granted = JSON.stringify(role?.Properties.Policies ?? []).match(/:secret:\w+-\?{6}/g) ?? [];
    expect([name, granted.sort()]).toEqual([name, named.map(([key]) => `:secret:${key}-??????`).sort()]);
  }
  expect(ownersOf("MODEL_API_KEY")).toContain("start-chat");
});

it("environment variables of a function name the app secret, which only functions that sign may read", () => {
  const reader = (name: string) => {
    const properties = functions.get(name);
    const role = [...templates.values()].map((stack) => stack[properties?.Role["Fn::GetAtt"][0]]).find(Boolean);
    const statements: { Action: string; Resource: unknown }[] =
      role?.Properties.Policies[0].PolicyDocument.Statement ?? [];
    const resources = statements
      .filter(({ Action }) => Action === "secretsmanager:GetSecretValue")
      .flatMap(({ Resource }) => Resource);
    return { variable: properties?.Environment?.Variables.APP_SECRET, resources: JSON.stringify(resources) };
  };
  for (const name of functions.keys()) {
    const { variable, resources } = reader(name);
    if (!signingFunctions.includes(name)) {
      expect([name, variable, resources.includes("AppSecret")]).toEqual([name, undefined, false]);
      continue;
    }
    // The address is an export of the data stack, which nested stacks receive as a parameter.
    const [prefix, address] = variable["Fn::Join"][1];
    expect([name, prefix, JSON.stringify(address)]).toEqual([name, "secret:", expect.stringContaining("AppSecret")]);
    expect([name, resources]).toEqual([name, expect.stringContaining(JSON.stringify(address))]);
  }
});

it.each([
  ["model", "secret:model"],
  ["model:SecretString", "secret:model"],
  ["model:SecretString:::", "secret:model"],
  ["model:SecretString:openai", "secret:model#openai"],
  [
    "arn:aws:secretsmanager:eu-central-1:1:secret:keys-a1:SecretString:openai::",
    "secret:arn:aws:secretsmanager:eu-central-1:1:secret:keys-a1#openai",
  ],
  ["model:SecretString:openai:AWSPREVIOUS", "{{resolve:secretsmanager:model:SecretString:openai:AWSPREVIOUS}}"],
])(
  "environment variables of a function name the secret of the reference %s, unless the reference has a version",
  (reference, expected) => {
    const settings = { model: { MODEL_API_KEY: `{{resolve:secretsmanager:${reference}}}` } } as never;
    const environment = functionEnvironment(settings, {}, ["MODEL_API_KEY"]);
    expect(environment.MODEL_API_KEY).toBe(expected);
  },
);

it("environment variables of a function include every variable that its code reads", () => {
  for (const [name, entry] of entries()) {
    const present = new Set(variablesOf(name));
    // The chain contains the verification of API keys and the creation of tenants, which only routes of users reach.
    const unread = usersRoutes.has(name) ? /^DEV_/ : /^DEV_|^RATE_LIMIT_FAILED$|^TENANT_CREATION$/;
    const missing = readVariables(entry).filter((variable) => !present.has(variable) && !unread.test(variable));
    expect([name, missing]).toEqual([name, []]);
  }
});

it("environment variables of a function include the user of local mode only in a stage without an identity provider", () => {
  expect(ownersOf("DEV_TENANT_ID")).toEqual([]);
  expect(ownersOf("AUTH_PROVIDER")).toContain("start-chat");
  const environment = functionEnvironment({ auth: { AUTH_PROVIDER: "local", DEV_TENANT_ID: "t" } } as never, {}, [
    "DEV_TENANT_ID",
  ]);
  expect(environment).toEqual({ DEV_TENANT_ID: "t" });
});

it("environment variables of a function include no secret and no resource that its code does not read", () => {
  for (const [name, entry] of entries()) {
    const read = new Set<string>(readVariables(entry));
    const surplus = variablesOf(name).filter(
      (variable) => /_(KEY|SECRET|BUCKET|URL)$/.test(variable) && !read.has(variable),
    );
    expect([name, surplus.filter((variable) => !/_BASE_URL$|^(JWT|RATE_LIMIT)_/.test(variable))]).toEqual([name, []]);
  }
});

it("environment variables of a function include the rate limit of its route and of no other route", () => {
  for (const { id, rateLimit } of routes) {
    const limits = variablesOf(kebabCase(id)).filter((name) => name.startsWith("RATE_LIMIT_"));
    const own: string[] = [...rateLimitsOf(rateLimit), "RATE_LIMIT_FAILED"];
    expect([id, limits.filter((name) => !own.includes(name))]).toEqual([id, []]);
    expect([id, limits.includes(rateLimitSettings[rateLimit])]).toEqual([id, true]);
  }
});

it("environment variables of a function include a secret only if its code uses the secret", () => {
  // `create-embedding` searches the provider's errors for the keys of models, so that callers cannot read them.
  expect(ownersOf("MODEL_API_KEY")).toEqual([...modelFunctions, "create-embedding"].toSorted());
  expect(ownersOf("EMBEDDING_API_KEY")).toEqual(embeddingFunctions.toSorted());
  expect(ownersOf("RERANK_API_KEY")).toEqual(
    [...modelFunctions, "list-visitor-questions", "search-knowledge"].toSorted(),
  );
  expect(ownersOf("WEB_SEARCH_API_KEY")).toEqual(modelFunctions);
  expect(ownersOf("GUARDRAIL_API_KEY")).toEqual(
    [...modelFunctions, "add-test-items", "create-moderation", "ingest-alert", "test-webhook"].toSorted(),
  );
  expect(ownersOf("ATTACHMENT_BUCKET")).toEqual([
    "add-test-items",
    "build-export",
    "call-mcp",
    "changes-cascade",
    "continue-run",
    "download-export",
    "get-attachment",
    "process-file",
    "send-embed-message",
    "start-chat",
  ]);
  expect(ownersOf("UPLOAD_BUCKET")).toEqual([
    "continue-run",
    "create-attachment",
    "create-document",
    "create-embed-attachment",
    "create-upload",
    "process-file",
    "replace-document",
    "run-import",
    "stage-sync-entries",
  ]);
  expect(ownersOf("APP_SECRET")).toEqual(signingFunctions);
  expect(ownersOf("DEPLOYMENT_KEY")).toEqual(["authorizer-deployment-key"]);
});

it("environment variables of a function include the API keys of model providers only if the function calls a model", () => {
  vi.stubEnv(
    "MODELS",
    JSON.stringify({
      providers: {
        main: { type: "openai-compatible", base_url: "https://a.example", api_key: secretReference("main") },
      },
      models: { large: { provider: "main", id: "large" } },
      tiers: { default: "large" },
    }),
  );
  const withKey = resourcesOf(synthesizeBundle(), "AWS::Lambda::Function")
    .filter(({ Properties }) => JSON.stringify(Properties.Environment).includes("secret:main"))
    .map(({ Properties }) => String(Properties.FunctionName).replace(/^switchboard-prod[-_]/, ""));
  vi.stubEnv("MODELS", "");
  expect(withKey.toSorted()).toEqual([...modelFunctions, "create-embedding"].toSorted());
});

/** Returns the names of the functions whose role allows an action. */
const allowedTo = (action: string) =>
  [...templates.values()]
    .flatMap((resources) =>
      Object.values(resources)
        .filter(({ Type }) => Type === "AWS::Lambda::Function")
        .filter(({ Properties }) => {
          const role = resources[Properties.Role["Fn::GetAtt"][0]]?.Properties;
          return JSON.stringify(role.Policies).includes(`"${action}"`);
        })
        .map(({ Properties }) => String(Properties.FunctionName).replace(/^switchboard-prod[-_]/, "")),
    )
    .sort();

it("stacks with the functions allow calls of models and guardrails only to the functions that use them", () => {
  expect(allowedTo("bedrock:InvokeModel")).toEqual(modelFunctions.toSorted());
  expect(allowedTo("bedrock:ApplyGuardrail")).toEqual(ownersOf("GUARDRAIL_ID"));
});

it("stacks with the functions allow sending messages to the queues of jobs only to the functions that do so", () => {
  const enqueuing = [...functions.keys()].filter((name) =>
    variablesOf(name).some((variable) => variable.endsWith("_QUEUE_URL")),
  );
  expect(allowedTo("sqs:SendMessage")).toEqual(enqueuing.toSorted());
  expect(ownersOf("DELETE_DATA_QUEUE_URL")).toEqual(["changes-cascade", "delete-data"]);
});

it("app secret keeps its logical id and its generator, because CloudFormation replaces its value if one of them changes", () => {
  const secret = templates.get("switchboard-prod-data.template.json")?.AppSecretFAB5164C;
  expect(secret?.Properties.GenerateSecretString).toEqual({ ExcludePunctuation: true, PasswordLength: 64 });
  expect(secret?.Properties.Name).toBe("switchboard-prod-app-secret");
});

it("code of ten deployments takes at most 80 % of the storage that Lambda has for it, also before it is compressed", () => {
  const sizes = entries().map(([, entry]) => {
    const { directory } = bundle.codeOf(entry);
    return readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
  });
  const used = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`code: ${Math.round(used / 2 ** 20)} MiB for ${sizes.length} functions`);
  expect(10 * used).toBeLessThan(0.8 * CODE_STORAGE_BYTES);
});
