import { AwsV4Signer } from "aws4fetch";
import { expect, it } from "vitest";
import { requestSigner } from "#shared/lib/aws/signature-v4.ts";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

const requests = [
  { service: "dynamodb", path: "/", body: "{}", at: "2026-01-02T03:04:05.678Z" },
  { service: "dynamodb", path: "/", body: '{"TableName":"größe"}', at: "2026-01-02T23:59:59.999Z" },
  { service: "sqs", path: "/", body: "{}", at: "2026-01-03T00:00:00.000Z" },
  {
    service: "bedrock",
    path: `/guardrail/${encodeURIComponent("arn:aws:bedrock:eu-central-1:1:guardrail/a(b)")}/version/DRAFT/apply`,
    body: "{}",
    at: "2026-01-03T00:00:00.000Z",
  },
];

it.each([undefined, "a session token"])(
  "AWS Signature Version 4 signer returns the signature that aws4fetch computes (session token: %s)",
  async (sessionToken) => {
    const settings = { region: "eu-central-1", ...credentials, ...(sessionToken && { sessionToken }) };
    for (const { service, path, body, at } of requests) {
      const host = `${service}.eu-central-1.amazonaws.com`;
      const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "Service.Operation" };
      const signed = requestSigner(service, host, settings)({ path, headers, body }, new Date(at));
      const signer = new AwsV4Signer({
        ...settings,
        method: "POST",
        url: `https://${host}${path}`,
        headers,
        body,
        service,
        datetime: signed["x-amz-date"] ?? "",
        allHeaders: true,
      });
      const expected = (await signer.sign()).headers;
      expect(signed.authorization).toBe(expected.get("authorization"));
    }
  },
);
