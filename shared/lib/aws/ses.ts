import { type AwsClient, awsClient } from "./aws-client.ts";

export interface Email {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

let send: AwsClient | undefined;

/**
 * Sends an e-mail with Amazon SES. It may arrive twice if the response is lost.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 * @throws AwsError, or the network error
 */
export async function sendEmail({ from, to, subject, text }: Email): Promise<void> {
  send ??= awsClient({
    environmentName: "SESV2",
    hostPrefix: "email",
    signingName: "ses",
    timeoutMs: 10_000,
    maxAttempts: 1,
  });
  const Charset = "UTF-8";
  await send({
    path: "/v2/email/outbound-emails",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: { Data: subject, Charset },
          Body: { Text: { Data: text, Charset } },
        },
      },
    }),
  });
}
