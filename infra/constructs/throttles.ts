import type { CfnStage } from "aws-cdk-lib/aws-apigateway";
import type { Route } from "../../shared/api/define-route.ts";
import type { Config } from "../config.ts";

/** Operations that the console or another client calls for each answer, or whenever a person opens it. */
const busyOperations: readonly string[] = [
  "createConversation",
  "createEmbedding",
  "getConversation",
  "getMe",
  "getReceptor",
  "listConversations",
  "listMessages",
  "searchKnowledge",
  "stopChat",
];

/** Rate limits of operations that programs or visitors of websites call: webhooks, messengers, SCIM, widgets, shared links. */
const steadyRateLimits: readonly Route["rateLimit"][] = ["channel", "scim", "embed_session", "shared_link"];

/** Throttles of steady and busy operations, as multiples of those of all others. */
const [STEADY_MULTIPLE, BUSY_MULTIPLE] = [2.5, 15];

function multipleOf({ id, auth, rateLimit, cacheable }: Route): number {
  if (busyOperations.includes(id)) return BUSY_MULTIPLE;
  return cacheable || auth === "api-key" || steadyRateLimits.includes(rateLimit) ? STEADY_MULTIPLE : 1;
}

/**
 * Returns the settings of a stage's methods. The throttle of all, `*` of `/*`, is that of each method, not of the stage. It
 * also applies to HEAD, to preflight requests and to `ANY`, which answers unknown methods and paths.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
export function methodSettings(
  throttle: Config["throttle"],
  routes: readonly Route[],
): CfnStage.MethodSettingProperty[] {
  const settings = (httpMethod: string, resourcePath: string, multiple: number) => ({
    httpMethod,
    resourcePath,
    loggingLevel: "ERROR",
    dataTraceEnabled: false,
    throttlingRateLimit: Math.ceil(throttle.rate * multiple),
    throttlingBurstLimit: Math.ceil(throttle.burst * multiple),
  });
  const busier = routes.filter((route) => route.method !== "ANY" && multipleOf(route) > 1);
  return [
    settings("*", "/*", 1),
    ...busier.map((route) =>
      settings(route.method, route.path.replaceAll("/", "~1").replace("~1", "/~1"), multipleOf(route)),
    ),
  ];
}
