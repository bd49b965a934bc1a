/** An error response of an AWS service. `name` is the exception name without its namespace. */
export class AwsException extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/**
 * Calls a local service with the AWS JSON protocol. The signature is fake: local servers require one but do not verify it.
 * @param target value of `x-amz-target`, such as `DynamoDB_20120810.PutItem`
 * @throws AwsError for an error response; TypeError when the service cannot be reached
 */
export async function awsJson(endpoint: string, target: string, input: object): Promise<unknown> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": target,
      "x-amz-date": "20260101T000000Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
    },
    body: JSON.stringify(input),
  });
  const output = (await response.json()) as { __type?: string; message?: string; Message?: string };
  if (response.ok) return output;
  const name = output.__type?.split("#").at(-1) ?? `Http${response.status}`;
  throw new AwsException(name, output.message ?? output.Message ?? "");
}
