import { prices } from "../../../infra/cost/prices.ts";
import { resourcesOf, type Templates } from "../../infra/synthesize.ts";

/** Way to cause costs without a valid credential, and what it costs at most in an hour. */
export interface WorstHour {
  readonly door: string;
  /** Requests a second that are admitted at most. */
  readonly rate: number;
  readonly usdPerMillion: number;
  readonly usd: number;
}

/** Default quota of API Gateway for the requests a second of all APIs of an account and region. */
const GATEWAY_RATE = 10_000;

/** Requests a second that an execution environment of Lambda takes, and the default quota of concurrent ones. */
const LAMBDA_RATE = 10 * 1_000;

/** Default quotas of a distribution: requests a second, and bits a second. */
const [EDGE_RATE, EDGE_BITS] = [250_000, 150e9];

/** Requests that a web ACL admits from one address in an hour. */
const REQUESTS_PER_ADDRESS = (2_000 * 60) / 5;

const million = ({ usd, per }: { readonly usd: number; readonly per: number }) => (usd / per) * 1_000_000;

/** Measured costs of a million requests that are refused. */
const refused = { function: 0.55, stream: 0.35, logs: 0.35 } as const;
const gateway = million(prices.gatewayRequest);
const edge = million(prices.edgeRequest) + million(prices.edgeFunction);

interface Operation {
  readonly security?: readonly object[];
  readonly "x-amazon-apigateway-integration": { readonly type: string };
}

const doorOf = (method: string, { security, "x-amazon-apigateway-integration": { type } }: Operation) => {
  if (type === "mock") return "preflight requests";
  if (method === "ANY") return "methods and paths without a route, and redirects";
  return security
    ? "operations with a credential, which is wrong"
    : "operations without a credential, webhooks and messengers";
};

/** Costs of a million requests by door. API Gateway does not charge for a request that an authorizer denies. */
const usdPerMillion: Readonly<Record<string, number>> = {
  "operations without a credential, webhooks and messengers": gateway + refused.function + refused.logs,
  "methods and paths without a route, and redirects": gateway + refused.function + refused.logs,
  "preflight requests": gateway + refused.logs,
  "operations with a credential, which is wrong": refused.function + refused.logs,
};

/** Returns the doors of the REST APIs with the sum of the throttles of their methods. */
function gatewayDoors(templates: Templates): Map<string, number> {
  const settings = resourcesOf(templates, "AWS::ApiGateway::Stage").flatMap(
    ({ Properties }): Record<string, unknown>[] => Properties.MethodSettings,
  );
  const rates = new Map(
    settings.map((each) => [
      `${each.HttpMethod} ${String(each.ResourcePath).slice(1).replaceAll("~1", "/")}`,
      Number(each.ThrottlingRateLimit),
    ]),
  );
  const sums = new Map(Object.keys(usdPerMillion).map((door) => [door, 0]));
  const paths = resourcesOf(templates, "AWS::ApiGateway::RestApi").flatMap(({ Properties }) =>
    Object.entries<Record<string, Operation>>(Properties.Body.paths),
  );
  for (const [path, operations] of paths) {
    for (const [key, operation] of Object.entries(operations)) {
      const method = key.startsWith("x-") ? "ANY" : key.toUpperCase();
      const door = doorOf(method, operation);
      sums.set(door, (sums.get(door) ?? 0) + (rates.get(`${method} ${path}`) ?? rates.get("* *") ?? 0));
    }
  }
  return sums;
}

/** Returns what each door of a deployment costs at most in an hour, computed from its templates and the default quotas. */
export function worstHours(templates: Templates): WorstHour[] {
  const row = (door: string, rate: number, perMillion: number): WorstHour => ({
    door,
    rate,
    usdPerMillion: perMillion,
    usd: (rate * 3_600 * perMillion) / 1_000_000,
  });
  const doors = [...gatewayDoors(templates)].map(([door, rate]) => row(door, rate, usdPerMillion[door] ?? 0));
  let free = GATEWAY_RATE;
  let usd = 0;
  for (const { rate, usdPerMillion: perMillion } of doors.toSorted((a, b) => b.usdPerMillion - a.usdPerMillion)) {
    const admitted = Math.min(rate, free);
    free -= admitted;
    usd += (admitted * 3_600 * perMillion) / 1_000_000;
  }
  const api = GATEWAY_RATE - free;
  const transfer = ((EDGE_BITS / 8) * 3_600 * prices.transfer.usd) / prices.transfer.per;
  const withAcl = edge + prices.aclRequest.usd + gateway + refused.function + refused.logs;
  return [
    ...doors,
    { door: "the REST API, all of these", rate: api, usdPerMillion: (usd / (api * 3_600)) * 1_000_000, usd },
    row("streams", LAMBDA_RATE, refused.stream + refused.logs),
    row("CloudFront, requests", EDGE_RATE, edge),
    { door: "CloudFront, transfer of pages at 150 Gbit/s", rate: 0, usdPerMillion: 0, usd: transfer },
    row("one address, with a web ACL", REQUESTS_PER_ADDRESS / 3_600, withAcl),
  ];
}

const decimals = (value: number, digits: number) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Returns the rows of the table in `docs/guides/costs.md`. */
export const worstHourRows = (hours: readonly WorstHour[]): string[] =>
  hours.map(
    ({ door, rate, usdPerMillion: perMillion, usd }) =>
      `| ${door} | ${rate === 0 ? "" : decimals(rate, 0)} | ${perMillion === 0 ? "" : decimals(perMillion, 2)} | ${decimals(usd, 2)} |`,
  );
