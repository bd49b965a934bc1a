/** Price of one unit in US dollars, with the page of AWS that states it. */
export interface Price {
  readonly usd: number;
  readonly per: number;
  readonly unit: string;
  /** Units per month that are free in every account, not only in its first year. */
  readonly free?: number;
  readonly page: string;
}

/** Month of the prices. */
export const pricesAsOf = "2025-12";

const lambda = "https://aws.amazon.com/lambda/pricing/";
const dynamodb = "https://aws.amazon.com/dynamodb/pricing/on-demand/";
const cloudwatch = "https://aws.amazon.com/cloudwatch/pricing/";
const waf = "https://aws.amazon.com/waf/pricing/";
const kms = "https://aws.amazon.com/kms/pricing/";
const cloudfront = "https://aws.amazon.com/cloudfront/pricing/pay-as-you-go/";

/** List prices of the region us-east-1, first tier each, ARM architecture of Lambda. */
export const prices = {
  tableRead: { usd: 0.125, per: 1_000_000, unit: "read request units", page: dynamodb },
  tableWrite: { usd: 0.625, per: 1_000_000, unit: "write request units", page: dynamodb },
  // Reads of a stream by Lambda are free; its invocations are not.
  streamRead: { usd: 0, per: 1, unit: "stream reads by Lambda", page: dynamodb },
  invocation: { usd: 0.2, per: 1_000_000, unit: "invocations", page: lambda },
  duration: { usd: 0.0000133334, per: 1, unit: "GB-seconds", page: lambda },
  gatewayRequest: {
    usd: 3.5,
    per: 1_000_000,
    unit: "REST API requests",
    page: "https://aws.amazon.com/api-gateway/pricing/",
  },
  edgeRequest: { usd: 0.01, per: 10_000, unit: "HTTPS requests", page: cloudfront },
  edgeFunction: { usd: 0.1, per: 1_000_000, unit: "CloudFront function invocations", page: cloudfront },
  transfer: { usd: 0.085, per: 1e9, unit: "bytes to the internet", page: cloudfront },
  log: { usd: 0.5, per: 1e9, unit: "bytes of logs", page: cloudwatch },
  alarmMetric: { usd: 0.1, per: 1, unit: "metrics in alarms per month", free: 10, page: cloudwatch },
  dashboard: { usd: 3, per: 1, unit: "dashboards per month", free: 3, page: cloudwatch },
  customMetric: { usd: 0.3, per: 1, unit: "custom metrics per month", free: 10, page: cloudwatch },
  queueRequest: {
    usd: 0.4,
    per: 1_000_000,
    unit: "SQS requests",
    free: 1_000_000,
    page: "https://aws.amazon.com/sqs/pricing/",
  },
  acl: { usd: 5, per: 1, unit: "web ACLs per month", page: waf },
  aclRule: { usd: 1, per: 1, unit: "rules of web ACLs per month", page: waf },
  aclRequest: { usd: 0.6, per: 1_000_000, unit: "requests that a web ACL inspects", page: waf },
  customerKey: { usd: 1, per: 1, unit: "customer-managed keys per month", page: kms },
  secret: { usd: 0.4, per: 1, unit: "secrets per month", page: "https://aws.amazon.com/secrets-manager/pricing/" },
} as const satisfies Record<string, Price>;

/** Name of a price. */
export type PriceName = keyof typeof prices;
