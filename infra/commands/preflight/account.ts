import { AwsClient } from "aws4fetch";
import { AwsError, awsClient } from "../../../shared/lib/aws/aws-client.ts";
import { getAwsSettings } from "../../../shared/lib/env.ts";
import { UncheckedError } from "./finding.ts";

/** AWS services that speak a JSON protocol, with the prefix of their header `X-Amz-Target`. */
const services = {
  servicequotas: { environmentName: "SERVICE_QUOTAS", target: "ServiceQuotasV20190624" },
  ssm: { environmentName: "SSM", target: "AmazonSSM" },
  acm: { environmentName: "ACM", target: "CertificateManager" },
  secretsmanager: { environmentName: "SECRETS_MANAGER", target: "secretsmanager" },
  dynamodb: { environmentName: "DYNAMODB", target: "DynamoDB_20120810" },
} as const;

/** Region of the services whose resources are those of all regions. */
export const GLOBAL_REGION = "us-east-1";

export const attempts = { timeoutMs: 10_000, maxAttempts: 3 } as const;

const deniedNames = new Set(["AccessDenied", "AccessDeniedException", "AuthorizationError", "UnauthorizedException"]);

/** Returns true for the refusal of a request that the policies of the credentials do not allow. */
export const isDenied = (error: unknown): error is AwsError => error instanceof AwsError && deniedNames.has(error.name);

/** @throws UncheckedError that names the missing permission, or the error of the request */
async function withPermission<Reply>(permission: string, request: () => Promise<Reply>): Promise<Reply> {
  try {
    return await request();
  } catch (error) {
    if (!isDenied(error)) throw error;
    throw new UncheckedError(`The credentials lack a permission. Allow ${permission}, and run preflight again.`);
  }
}

/**
 * Calls an operation of a service with a JSON protocol.
 * @throws UncheckedError if the credentials may not call it; AwsError
 */
export function callAws(
  service: keyof typeof services,
  operation: string,
  input: object,
  region?: string,
): Promise<Record<string, unknown>> {
  const { environmentName, target } = services[service];
  const client = awsClient({ environmentName, hostPrefix: service, signingName: service, region, ...attempts });
  const headers = {
    "content-type": `application/x-amz-json-${service === "dynamodb" ? "1.0" : "1.1"}`,
    "x-amz-target": `${target}.${operation}`,
  };
  return withPermission(`${service}:${operation}`, () => client({ path: "/", headers, body: JSON.stringify(input) }));
}

/**
 * Returns the state of a region in the account, such as `ENABLED_BY_DEFAULT` or `DISABLED`.
 * @see https://docs.aws.amazon.com/accounts/latest/reference/API_GetRegionOptStatus.html
 */
export async function getRegionStatus(name: string): Promise<string> {
  const client = awsClient({
    environmentName: "ACCOUNT",
    hostPrefix: "account",
    signingName: "account",
    region: GLOBAL_REGION,
    ...attempts,
  });
  const { RegionOptStatus } = await withPermission("account:GetRegionOptStatus", () =>
    client({
      path: "/getRegionOptStatus",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ RegionName: name }),
    }),
  );
  return String(RegionOptStatus);
}

/** Returns the text of all elements of XML with a name. */
export const readElements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) => text ?? "");

interface XmlRequest {
  readonly operation: string;
  readonly path: string;
  readonly region: string;
  /** Parameters of the AWS query protocol, sent by POST; without them, the request is a GET. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Calls an operation of a service that answers with XML.
 * @throws UncheckedError if the credentials may not call it; AwsError
 */
export async function callXmlService(
  service: "sts" | "sns" | "cloudfront",
  { operation, path, region, parameters }: XmlRequest,
): Promise<string> {
  const { endpoint, ...settings } = getAwsSettings(service.toUpperCase());
  const host = service === "cloudfront" ? "cloudfront.amazonaws.com" : `${service}.${region}.amazonaws.com`;
  const client = new AwsClient({ ...settings, service, region, retries: attempts.maxAttempts - 1 });
  return withPermission(`${service}:${operation}`, async () => {
    const response = await client.fetch(`${endpoint ?? `https://${host}`}${path}`, {
      ...(parameters && {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(parameters).toString(),
      }),
      signal: AbortSignal.timeout(attempts.timeoutMs * attempts.maxAttempts),
    });
    const xml = await response.text();
    if (response.ok) return xml;
    const [name = "UnknownError"] = readElements(xml, "Code");
    throw new AwsError(response.status, {
      __type: name,
      message: readElements(xml, "Message")[0] ?? xml.slice(0, 200),
    });
  });
}
