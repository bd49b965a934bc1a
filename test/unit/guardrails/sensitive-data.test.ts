import { expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { isRedacted } from "#shared/guardrails/apply-policy.ts";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";
import { redactSpans } from "#shared/guardrails/spans.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";
import { cpuTimeMs } from "#test/support/growth/growth.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

const next = seededRandom(11);
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const randomString = (length: number, characters = alphabet) =>
  Array.from({ length }, () => characters[Math.floor(next() * characters.length)]).join("");
const hex = "0123456789abcdef";
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const findSecrets = (text: string) => findSensitiveSpans(text).filter(({ category }) => category === "secrets");
const kindsIn = (text: string) => findSensitiveSpans(text).map(({ kind }) => kind);
const redactAll = (text: string) => redactSpans(text, findSensitiveSpans(text));

it.each([
  ["4111 1111 1111 0535", "card number"],
  ["5500-0055-5555-5559", "card number"],
  ["378282246310054", "card number"],
  ["DE89 3704 0044 0532 0100 90", "IBAN"],
  ["GB82WEST12345698760097", "IBAN"],
  ["FR14 2004 1010 0505 0001 3M00 084", "IBAN"],
  ["NO93 8601 1110 090", "IBAN"],
  ["536-22-1234", "social security number"],
  ["my SSN is 536221234", "social security number"],
  ["CPF 529.982.247-25", "tax number"],
  ["Steuer-ID 86095742719", "tax number"],
  ["DNI 12345678Z", "identity number"],
  ["NIE X1234567L", "identity number"],
  ["2341 2341 2346", "identity number"],
  ["sécu 2 55 08 14 168 025 38", "identity number"],
  ["NHS number 943 476 5919", "health number"],
  ["NI AB 12 34 56 C", "insurance number"],
  ["RSSMRA85T10A562S", "tax number"],
  ["ann.o'neil+x@mail.example.co.uk", "e-mail address"],
  ["jürgen@müller.example", "e-mail address"],
  ["+49 170 1234567", "phone number"],
  ["(415) 555-2671", "phone number"],
  ["call me on 0171 234567", "phone number"],
  ["Phone:\n60-56-85-91", "phone number"],
  ["stop receiving messages to 699 956 915", "phone number"],
  ["they are not answering at 78 651 450", "phone number"],
  ["my card 180016070420458", "card number"],
  ["passport C01X00T47", "passport number"],
  ["driver's license D123-4567-8901", "license number"],
  ["account number: 12345678", "account number"],
  ["born on 3 May 1984", "date of birth"],
  ["221 Baker Street", "postal address"],
  ["Lindenstraße 12", "postal address"],
  ["send it to 0x52908400098527886E0F7030069857D2E4169EE7", "wallet address"],
  ["1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "wallet address"],
  ["bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", "wallet address"],
  ["customer's IP 203.0.113.7", "network address"],
  ["203.0.113.77", "network address"],
  ["5018 0000 0009", "card number"],
  ["4111 1111 1111 0535 12/27", "card number"],
  ["gb82 west 1234 5698 7600 97", "IBAN"],
  ["De89370400440532010090", "IBAN"],
  ["codice fiscale RSSMRA85T10A562S", "tax number"],
  ["driving licence MORGA657054SM9IJ", "license number"],
  ["Telefonnummer: 030 1234567", "phone number"],
  ["phone_number=415 555 2671", "phone number"],
  ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "wallet address"],
])("detection of personal data recognizes '%s' as %s", (text, kind) => {
  expect(kindsIn(text)).toContain(kind);
  expect(kindsIn(`Hello, ${text}, bye.`)).toContain(kind);
});

it.each([
  "4111 1111 1111 1112",
  "1234 5678 9012 3456",
  "0000 0000 0000 0000",
  "DE89 3704 0044 0532 0130 01",
  "XX89 3704 0044 0532 0130 00",
  "000-12-3456",
  "666-12-3456",
  "900-12-3456",
  "123-00-4567",
  "123-45-0000",
  "111.444.777-36",
  "12345678A",
  "version 1.2.3.4",
  "2024-05-17",
  "order 4711",
  "ISBN 978-3-16-148410-0",
  "2,500,000,000 people",
  "3.14159265358979",
  "@mentions and a@b",
  "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
  "uuid 018f2f6e-7c1a-7b3e-9d8a-3f1c2b4a5d6e",
  "at 10:15:30 on page 1234",
  "the meeting is on 3 May 2024",
])("detection of personal data finds nothing in text that resembles personal data: %s", (text) => {
  expect(kindsIn(text)).toEqual([]);
});

it("detection of personal data redacts an account or card number, but not the words around it", () => {
  expect(redactAll("Pay to DE89 3704 0044 0532 0100 90 until Friday, thanks")).toBe(
    "Pay to [IBAN] until Friday, thanks",
  );
  expect(redactAll("IBAN GB82WEST12345698760097 and card 4111-1111-1111-0535.")).toBe(
    "IBAN [IBAN] and card [card number].",
  );
});

/** Random secrets in their vendors' formats. */
const secrets: Readonly<Record<string, string>> = {
  AWS: `AKIA${randomString(16, base32)}`,
  Google: `AIza${randomString(35)}`,
  OpenAI: `sk-proj-${randomString(48)}`,
  Anthropic: `sk-ant-api03-${randomString(60)}`,
  GitHub: `ghp_${randomString(36)}`,
  "GitHub fine-grained": `github_pat_${randomString(22)}_${randomString(59)}`,
  GitLab: `glpat-${randomString(20)}`,
  "GitLab CI job": `glcbt-${randomString(24)}`,
  "GitLab application": `gloas-${randomString(24)}`,
  Slack: `xoxb-${randomString(12, "0123456789")}-${randomString(24)}`,
  Stripe: `sk_live_${randomString(24)}`,
  SendGrid: `SG.${randomString(22)}.${randomString(43)}`,
  npm: `npm_${randomString(36)}`,
  PyPI: `pypi-AgE${randomString(60)}`,
  "Hugging Face": `hf_${randomString(34)}`,
  DigitalOcean: `dop_v1_${randomString(64, hex)}`,
  Shopify: `shpat_${randomString(32, hex)}`,
  Facebook: `EAAB${randomString(100)}`,
  Telegram: `${randomString(9, "123456789")}:AA${randomString(33)}`,
  Vault: `hvs.${randomString(24)}`,
  Switchboard: `swe_acme_${randomString(32, hex)}`,
  Perplexity: `pplx-${randomString(48)}`,
  Groq: `gsk_${randomString(52)}`,
  xAI: `xai-${randomString(80)}`,
  Figma: `figd_${randomString(40)}`,
  Artifactory: `AKCp8${randomString(68)}`,
  "Artifactory reference": `cmVmdGtu${randomString(56)}`,
  "AWS of another type": `A3TX${randomString(16, base32)}`,
  "Amazon Bedrock": `ABSK${randomString(120)}`,
  "Azure application": `${randomString(3)}8Q~${randomString(34)}`,
  Airtable: `pat${randomString(14)}.${randomString(64, hex)}`,
  Alibaba: `LTAI${randomString(20)}`,
  Brevo: `xkeysib-${randomString(64, hex)}-${randomString(16)}`,
  Buildkite: `bkua_${randomString(40, hex)}`,
  CircleCI: `CCIPAT_${randomString(22)}_${randomString(40, hex)}`,
  "crates.io": `cio${randomString(32)}`,
  Dynatrace: `dt0c01.${randomString(24, base32)}.${randomString(64, base32)}`,
  Fly: `fm2_${randomString(120)}`,
  "GitLab runner": `GR1348941${randomString(20)}`,
  Heroku: `HRKU-AA${randomString(58)}`,
  HubSpot: `pat-na1-${randomString(8, hex)}-${randomString(4, hex)}-${randomString(4, hex)}-${randomString(4, hex)}-${randomString(12, hex)}`,
  LangSmith: `lsv2_pt_${randomString(32, hex)}_${randomString(10, hex)}`,
  Mapbox: `sk.eyJ${randomString(60)}.${randomString(22)}`,
  Neon: `napi_${randomString(64, "abcdefghijklmnopqrstuvwxyz0123456789")}`,
  Notion: `ntn_${randomString(46)}`,
  NVIDIA: `nvapi-${randomString(64)}`,
  OpenShift: `sha256~${randomString(43)}`,
  Pulumi: `pul-${randomString(40, hex)}`,
  Replicate: `r8_${randomString(37)}`,
  Resend: `re_${randomString(8)}_${randomString(24)}`,
  RubyGems: `rubygems_${randomString(48, hex)}`,
  SonarQube: `squ_${randomString(40, hex)}`,
  Supabase: `sbp_${randomString(40, hex)}`,
  Tailscale: `tskey-auth-${randomString(16)}-${randomString(32)}`,
  Terraform: `${randomString(14)}.atlasv1.${randomString(67)}`,
  JWT: `eyJ${randomString(30)}.eyJ${randomString(80)}.${randomString(43)}`,
  PEM: `-----BEGIN RSA PRIVATE KEY-----\n${randomString(64)}\n${randomString(64)}\n-----END RSA PRIVATE KEY-----`,
  Postgres: "postgresql://app:s3cr3tPw@db.example.com:5432/main",
  MongoDB: "mongodb+srv://root:Xy7!k2@cluster0.example.net/test",
  "a webhook": `https://hooks.slack.com/services/T${randomString(9, base32)}/B${randomString(9, base32)}/${randomString(24)}`,
  bearer: `Authorization: Bearer ${randomString(40)}`,
  "an assignment": `AWS_SECRET_ACCESS_KEY=${randomString(40)}`,
  JSON: `{"api_key": "${randomString(24)}"}`,
  YAML: `password: Tr0ub4dor&3`,
  "a sentence": "the password is Hunter2!9",
  "a sentence with a colon": "Das Passwort ist: Hunter2!9",
};

it.each(Object.entries(secrets))("detection of secrets finds a secret of the type %s", (_, text) => {
  expect(findSecrets(`before ${text} after`).length).toBeGreaterThan(0);
});

it.each([
  "PASSWORD ?= hR7!kd02Lq",
  "BUILD_TOKEN :::= hR7!kd02Lq",
  'var deployToken string = "hR7!kd02Lq"',
  "<deployToken>\n    hR7!kd02Lq\n</deployToken>",
  "password ::= hR7!kd02Lq",
  "$password .= 'hR7!kd02Lq';",
  'props.setProperty("db.password", "hR7!kd02Lq")',
  'Config{Password: "hR7!kd02Lq"}',
  'password := "hR7!kd02Lq"',
  "<password>hR7!kd02Lq</password>",
  '<add key="password" value="hR7!kd02Lq"/>',
  "curl -s -u admin:hR7!kd02Lq https://example.com",
  "wget --user=admin:hR7!kd02Lq",
  "curl -X POST --user  'admin:hR7!kd02Lq' https://example.com",
  "curl --user admin:'hR7!kd02Lq' -X PATCH https://example.com",
])("detection of secrets finds the password or token in the text: %s", (text) => {
  expect(redactAll(text)).not.toContain("hR7!kd02Lq");
  expect(redactAll(text)).toContain(text.slice(0, 4));
});

it.each([
  ["letters of both cases", 12, alphabet.slice(0, 52), 3],
  ["letters and digits", 12, alphabet, 3],
  ["letters and digits", 10, alphabet, 6],
  ["letters, digits and symbols", 12, `${alphabet}!@#$%^&*`, 12],
])(
  "detection of secrets misses few random passwords of %s with %i characters after their name",
  (_, length, characters, maxPercent) => {
    const passwords = Array.from({ length: 2_000 }, () => randomString(length, characters));
    const missed = passwords.filter((password) => findSecrets(`password: ${password}`).length === 0);
    expect((100 * missed.length) / passwords.length).toBeLessThan(maxPercent);
  },
);

it("detection of secrets finds long tokens up to their end, also when they are encoded in base64 again", () => {
  const token = `eyJ${randomString(500)}.eyJ${randomString(6_000)}.${randomString(300)}`;
  const encoded = Buffer.from(token).toString("base64");
  const text = `The token ${token} is ${encoded} in base64.`;
  expect(redactAll(text)).toBe("The token [token] is [token] in base64.");
});

it("detection of secrets finds a secret that follows its name without a separator", () => {
  const secret = "f3c2a1b09d8e7f6a5b4c3d2e1f0a9b8c";
  for (const text of [`the webhook secret ${secret}.`, `API key  ${secret}`]) {
    expect(redactSpans(text, findSecrets(text))).not.toContain(secret);
  }
});

it.each([
  "password: your password",
  "the password is wrong",
  "password must be at least 12 characters",
  "API_KEY=<your key here>",
  "apiKey: process.env.API_KEY",
  "token: string",
  "secret = getSecret(name)",
  "sk-learn and ghp are words",
  "AKIA is a prefix",
  "https://example.com/a/b?c=d",
  "http://localhost:8080/path",
  "Bearer tokens are explained in RFC 6750",
  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "-----BEGIN CERTIFICATE-----",
  "Ihr Passwort: siehe Brief",
  "the secret ingredient-that-few-people-know-about is love",
  "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a0deadbeef keeps the secret",
])("detection of secrets finds nothing in text that resembles a secret: %s", (text) => {
  expect(findSecrets(text)).toEqual([]);
});

const redactWhole = (text: string) =>
  redactSpans(
    text,
    findSensitiveSpans(text).filter((span) => isRedacted(defaultGuardrailPolicy, "answer", span)),
  );
const redactStream = (chunks: readonly string[]) => {
  const redactor = new StreamingRedactor();
  return chunks.map((chunk) => redactor.push(chunk)).join("") + redactor.end();
};

const answers = [
  "Hello! Your card 4111 1111 1111 0535 is valid until 12/27. Pay to DE89 3704 0044 0532 0100 90, please.",
  "| a | 12 |\n| b | 3400 |\n\n1. one\n2. two 2024-05-17, 10:15 and 3.14",
  "Call (415) 555-2671 or write to ann@example.org. UK and AT are countries, DE is one too.",
  "My NI number is AB 12 34 56 C, and AB123456C without the spaces.",
  `Stream 1: ${Array.from({ length: 50 }, (_, n) => n).join(" ")} and so on.`,
  "The pa\u017f\u017fword=hunter2Xyz!9 has letters that look alike, and so has to\u212aen=hunter2Xyz!9q here.",
  ...Object.values(secrets).map((secret) => `Here it is: ${secret} and that was all. Ask me for more.`),
];

it.each(answers.map((text) => [text.slice(0, 60), text]))(
  'StreamingRedactor, which redacts an answer while it streams, redacts "%s" the same wherever chunks are split',
  (_, text) => {
    for (let at = 0; at <= text.length; at++) {
      expect(redactStream([text.slice(0, at), text.slice(at)])).toBe(redactWhole(text));
    }
    expect(redactStream([...text])).toBe(redactWhole(text));
    expect(redactStream(text.match(/\s*\S+/g) ?? [])).toBe(redactWhole(text));
  },
);

it.each([
  ["Discord", `Motldqaycutknxe${randomString(9)}.${randomString(6)}.${randomString(30)}`],
  ["Mailchimp", `${randomString(32, hex)}-us12`],
])(
  "StreamingRedactor, which redacts an answer while it streams, emits at most the first characters of a secret that starts like a word: %s",
  (_, secret) => {
    const output = redactStream([...`Here it is: ${secret} and that was all.`]);
    expect(output).not.toContain(secret.slice(-20));
    expect(output).toMatch(/^Here it is: \w{0,20}\[[\w ]+\] and that was all\.$/);
  },
);

it("StreamingRedactor, which redacts an answer while it streams, emits ordinary words without delay", () => {
  const redactor = new StreamingRedactor();
  expect(["Hello", " there", ", how", " are", " you", "?"].map((chunk) => redactor.push(chunk))).toEqual([
    "Hello",
    " there",
    ", how",
    " are",
    " you",
    "?",
  ]);
});

it("StreamingRedactor, which redacts an answer while it streams, holds back only text that may become sensitive data, and emits no part of it", () => {
  for (const [text, isRetained] of [
    [randomString(5_000).replace(/\d/g, "x"), false],
    [`${randomString(40).replace(/\d/g, "x")} `.repeat(50), false],
    ["1".repeat(3_000), false],
    [`eyJ${randomString(4_000)}`, true],
  ] as const) {
    const redactor = new StreamingRedactor();
    let emittedLength = 0;
    for (let at = 0; at < text.length; at += 7) {
      emittedLength += redactor.push(text.slice(at, at + 7)).length;
      if (isRetained) expect(emittedLength).toBe(0);
      else expect(at + 7 - emittedLength).toBeLessThanOrEqual(60);
    }
    expect(emittedLength + redactor.end().length).toBe(text.length);
  }
});

it("StreamingRedactor, which redacts an answer while it streams, takes a similar time for long and for short chunks", async () => {
  const measureMs = (chunks: readonly string[]) => cpuTimeMs(() => redactStream(chunks), 5);
  const text = "a://b:".repeat(4_000);
  // An earlier version rescanned the whole text for each chunk, which took 20 times as long.
  expect(await measureMs([text])).toBeLessThan(8 * (await measureMs(text.match(/.{1,1000}/g) ?? [])));
  // An earlier version tried every grouping of a possible account number, which took 20 times as long.
  const repeatChunk = (word: string) => Array<string>(400).fill(word);
  expect(await measureMs(repeatChunk("DE12 "))).toBeLessThan(10 * (await measureMs(repeatChunk("123 4"))));
});

it("StreamingRedactor, which redacts an answer while it streams, reports the categories of redacted text", () => {
  const redactor = new StreamingRedactor();
  redactor.push("card 4111 1111 1111 0535 and ");
  redactor.push(`key ${secrets.GitHub} `);
  redactor.end();
  expect(redactor.findings.map(({ category }) => category).sort()).toEqual(["personal_data", "secrets"]);
});
