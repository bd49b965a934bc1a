import { createSign, generateKeyPairSync, sign } from "node:crypto";
import { afterEach, expect, it, vi } from "vitest";
import { verifySnsMessage } from "#shared/webhooks/sns-signature.ts";

const topicArn = "arn:aws:sns:eu-west-1:123456789012:alarms";
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Encodes a DER value: tag, length and content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

interface CertificateFields {
  readonly untilYear?: number;
  readonly subject?: string;
  readonly issuer?: string;
}

/** Encodes a name with a common name and an organization. */
function toName(commonName: string, organization: string): Buffer {
  const attribute = (oid: string, value: string) =>
    der(0x31, der(0x30, Buffer.from(oid, "hex"), der(0x0c, Buffer.from(value))));
  return der(0x30, attribute("060355040a", organization), attribute("0603550403", commonName));
}

/** Creates a certificate (RFC 5280) in PEM, as Amazon issues it to SNS. */
function createCertificate({
  untilYear = 2049,
  subject = "sns.amazonaws.com",
  issuer = "Amazon",
}: CertificateFields = {}) {
  const sha256WithRsa = der(0x30, Buffer.from("06092a864886f70d01010b0500", "hex"));
  const time = (year: number) => der(0x17, Buffer.from(`${String(year).slice(2)}0101000000Z`));
  const key = publicKey.export({ type: "spki", format: "der" });
  const validity = der(0x30, time(2020), time(untilYear));
  const body = der(
    0x30,
    der(0x02, Buffer.from([1])),
    sha256WithRsa,
    toName("RSA 2048 M01", issuer),
    validity,
    toName(subject, "Test"),
    key,
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const base64 = der(0x30, body, sha256WithRsa, signature).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`;
}

let certificateCount = 0;
const newCertificateUrl = () =>
  `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${String(++certificateCount).padStart(32, "0")}.pem`;
const path = `SimpleNotificationService-${"a".repeat(32)}.pem`;

type Fields = Record<string, string>;

/** Creates a signed message as SNS posts it. */
function createMessage(changes: Fields = {}, algorithm = "RSA-SHA256"): Fields {
  const message: Fields = {
    Type: "Notification",
    MessageId: "6a5f1d0e-1111-5222-8333-944444444444",
    TopicArn: topicArn,
    Subject: "ALARM",
    Message: '{"AlarmName":"CPU"}',
    Timestamp: new Date().toISOString(),
    SignatureVersion: algorithm === "RSA-SHA1" ? "1" : "2",
    SigningCertURL: newCertificateUrl(),
    ...changes,
  };
  const signed =
    message.Type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const text = signed.map((field) => `${field}\n${message[field]}\n`).join("");
  return { ...message, Signature: createSign(algorithm).update(text).sign(privateKey, "base64") };
}

/** Serves the certificate to every request and records the requested URLs. */
function stubFetch(certificate = createCertificate()): string[] {
  const urls: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => {
    urls.push(url);
    return new Response(certificate);
  });
  return urls;
}

const verify = (message: Fields) => verifySnsMessage(Buffer.from(JSON.stringify(message)), topicArn);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it.each(["RSA-SHA1", "RSA-SHA256"])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, accepts a message signed with %s and caches the certificate",
  async (algorithm) => {
    const urls = stubFetch();
    const message = createMessage({}, algorithm);
    expect(await verify(message)).toBe(true);
    expect(await verify(message)).toBe(true);
    expect(urls).toEqual([message.SigningCertURL]);
  },
);

it.each(["Message", "MessageId", "Subject", "Timestamp"])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, rejects a message whose field %s was changed",
  async (field) => {
    stubFetch();
    expect(await verify({ ...createMessage(), [field]: "changed" })).toBe(false);
  },
);

it("verifySnsMessage(), which verifies a message of Amazon SNS, rejects a message of a topic that the channel does not expect", async () => {
  const urls = stubFetch();
  expect(await verify(createMessage({ TopicArn: `${topicArn}-of-an-attacker` }))).toBe(false);
  expect(urls).toEqual([]);
});

it.each([
  `http://sns.eu-west-1.amazonaws.com/${path}`,
  `https://sns.eu-west-1.amazonaws.com.evil.example/${path}`,
  `https://evil.example/sns.eu-west-1.amazonaws.com/${path}`,
  `https://sns.eu-west-1.amazonaws.com@evil.example/${path}`,
  `https://user@sns.eu-west-1.amazonaws.com/${path}`,
  `https://sns.eu-west-1.amazonaws.com:8443/${path}`,
  `https://sns.eu-west-1.amazonaws.com:443/${path}`,
  `https://s3.eu-west-1.amazonaws.com/${path}`,
  `https://sns.s3.amazonaws.com/${path}`,
  `https://sns.s3-eu-west-1.amazonaws.com/${path}`,
  `https://sns.s3-website-eu-west-1.amazonaws.com/${path}`,
  `https://sns.eu-west-1.amazonaws.com.cn/${path}`,
  `https://sns.cn-north-1.amazonaws.com/${path}`,
  `https://sns.eu-west-1.amazonaws.com/${path}?x`,
  `https://sns.eu-west-1.amazonaws.com/${path}#x`,
  `https://sns.eu-west-1.amazonaws.com/a/../${path}`,
  `https://sns.eu-west-1.amazonaws.com/a/${path}`,
  "https://sns.eu-west-1.amazonaws.com/cert.pem",
  "https://sns.eu-west-1.amazonaws.com/?Action=Publish&Message=x.pem",
  "file:///etc/passwd",
])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, does not fetch a certificate from the untrusted address %s",
  async (SigningCertURL) => {
    const urls = stubFetch();
    expect(await verify(createMessage({ SigningCertURL }))).toBe(false);
    expect(urls).toEqual([]);
  },
);

it.each([
  [65 * 60_000 + 1_000, false],
  [60 * 60_000, true],
  [-4 * 60_000, true],
  [-6 * 60_000, false],
])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, decides about a message that is %d ms old before it fetches the certificate",
  async (ageMs, isAccepted) => {
    const urls = stubFetch();
    const Timestamp = new Date(Date.now() - ageMs).toISOString();
    expect(await verify(createMessage({ Timestamp }))).toBe(isAccepted);
    expect(urls).toHaveLength(isAccepted ? 1 : 0);
  },
);

it.each([
  { subject: "attacker.example" },
  { subject: "sns.us-east-1.amazonaws.com" },
  { issuer: "Attacker" },
  { issuer: "Amazonas" },
])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, rejects a message whose certificate has the fields %j",
  async (fields) => {
    vi.stubEnv("LOG_LEVEL", "error");
    stubFetch(createCertificate(fields));
    expect(await verify(createMessage())).toBe(false);
  },
);

it.each(["sns-signing.eu-west-1.amazonaws.com", "sns.eu-west-1.amazonaws.com"])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, accepts a message whose certificate was issued to %s",
  async (subject) => {
    stubFetch(createCertificate({ subject }));
    expect(await verify(createMessage())).toBe(true);
  },
);

it("verifySnsMessage(), which verifies a message of Amazon SNS, stops reading a certificate at 16 KiB", async () => {
  vi.stubEnv("LOG_LEVEL", "error");
  let chunks = 0;
  vi.stubGlobal("fetch", async () => {
    const pull = (controller: ReadableStreamDefaultController) => {
      chunks++;
      controller.enqueue(new Uint8Array(8_192));
    };
    return new Response(new ReadableStream({ pull }));
  });
  expect(await verify(createMessage())).toBe(false);
  expect(chunks).toBeLessThan(6);
});

it.each([
  "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
  `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topicArn}-other&Token=t`,
  `https://sns.s3-eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=t`,
])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, rejects a confirmation with the address %s before it fetches the certificate",
  async (SubscribeURL) => {
    const urls = stubFetch();
    expect(await verify(createMessage({ Type: "SubscriptionConfirmation", SubscribeURL, Token: "t" }))).toBe(false);
    expect(urls).toEqual([]);
  },
);

it("verifySnsMessage(), which verifies a message of Amazon SNS, rejects a message whose certificate has expired", async () => {
  vi.stubEnv("LOG_LEVEL", "error");
  stubFetch(createCertificate({ untilYear: 2021 }));
  expect(await verify(createMessage())).toBe(false);
});

it.each<[string, () => Promise<Response>]>([
  ["cannot be reached", () => Promise.reject(new TypeError("fetch failed"))],
  ["answers with 503", async () => new Response("", { status: 503 })],
])(
  "verifySnsMessage(), which verifies a message of Amazon SNS, throws an error that makes SNS deliver again when the certificate's host %s",
  async (_, fetchStub) => {
    vi.stubGlobal("fetch", fetchStub);
    const SigningCertURL = newCertificateUrl();
    await expect(verify(createMessage({ SigningCertURL }))).rejects.toMatchObject({ code: "unavailable" });
  },
);

it("verifySnsMessage(), which verifies a message of Amazon SNS, rejects a message whose certificate does not exist", async () => {
  vi.stubEnv("LOG_LEVEL", "error");
  vi.stubGlobal("fetch", async () => new Response("", { status: 404 }));
  const SigningCertURL = newCertificateUrl();
  expect(await verify(createMessage({ SigningCertURL }))).toBe(false);
});

it("verifySnsMessage(), which verifies a message of Amazon SNS, confirms a subscription after its signature was verified", async () => {
  const urls = stubFetch();
  const SubscribeURL = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=t`;
  const message = createMessage({ Type: "SubscriptionConfirmation", SubscribeURL, Token: "t" });
  expect(await verify({ ...message, Token: "forged" })).toBe(false);
  expect(urls).not.toContain(SubscribeURL);
  expect(await verify(message)).toBe(true);
  expect(urls).toContain(SubscribeURL);
});

it("verifySnsMessage(), which verifies a message of Amazon SNS, rejects a body that is not an SNS message", async () => {
  expect(await verifySnsMessage(Buffer.from("not JSON"), topicArn)).toBe(false);
  expect(await verifySnsMessage(Buffer.from("{}"), topicArn)).toBe(false);
});
