import * as v from "valibot";
import { expect, it } from "vitest";
import { defaultGuardrailPolicy, GuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { isRedacted } from "#shared/guardrails/apply-policy.ts";
import { findSensitiveSpans } from "#shared/guardrails/sensitive-data.ts";
import { redactSpans } from "#shared/guardrails/spans.ts";
import { StreamingRedactor } from "#shared/guardrails/streaming-redactor.ts";
import { sized } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";

const next = seededRandom(23);
const pick = <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value;
const letters = "abcdefghijklmnopqrstuvwxyz";
const alphanumeric = `${letters}${letters.toUpperCase()}0123456789`;
const random = (length: number, characters = alphanumeric) =>
  Array.from({ length }, () => pick([...characters])).join("");
const digits = (length: number) => random(length, "0123456789");

function withLuhnDigit(prefix: string): string {
  for (let last = 0; last < 10; last++) {
    const sum = [...`${prefix}${last}`].reverse().reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    if (sum % 10 === 0) return `${prefix}${last}`;
  }
  throw new Error("no check digit");
}

function iban(): string {
  const account = `37040044${digits(10)}`;
  const remainder = BigInt(`${account}131400`) % 97n;
  return `DE${String(98n - remainder).padStart(2, "0")}${account}`;
}

const inGroups = (text: string, separator: string) => (text.match(/.{1,4}/g) ?? []).join(separator);
const mixedCase = (text: string) => Array.from(text, (char) => (next() < 0.5 ? char.toLowerCase() : char)).join("");

/** Values that must not be in the output, each with the text that surrounds it. */
const planted: readonly (() => readonly [secret: string, text: string])[] = [
  () => plant(withLuhnDigit(`4${digits(14)}`)),
  () => plant(inGroups(withLuhnDigit(`55${digits(13)}`), pick([" ", "-"]))),
  () => plant(withLuhnDigit(`5018${digits(7)}`)),
  () => plant(mixedCase(iban())),
  () => plant(inGroups(iban(), " ")),
  () => plant("RSSMRA85T10A562S", "codice fiscale "),
  () => plant("MORGA657054SM9IJ", "driving licence "),
  () => plant(pick(["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"])),
  () => plant("536-22-1234"),
  () => plant(`AKIA${random(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`),
  () => plant(`ghp_${random(36)}`),
  () => plant(`eyJ${random(30)}.eyJ${random(300 + Math.floor(next() * 600))}.${random(43)}`),
  () =>
    plant(
      Buffer.from(`eyJ${random(30)}.eyJ${random(90)}.${random(43)}`)
        .toString("base64")
        .replace(/=+$/, ""),
    ),
  () => plant(`M${random(23)}.${random(6)}.${random(30)}`),
  () => plant(`${random(32, "0123456789abcdef")}-us12`),
  () =>
    plant(
      `xY7!${random(9)}`,
      pick(["password: ", "PASSWORD=", "$pwd .= '", 'setProperty("password", "', "<password>"]),
    ),
  () => plant(`xY7!${random(9)}`, "curl -u admin:", " https://example.com"),
  () => plant(random(40), "Authorization: Bearer "),
  () => plant(`s3c${random(8)}`, "postgres://app:", "@db.example.com/main"),
];

const plant = (secret: string, before = "", after = "") => [secret, `${before}${secret}${after}`] as const;
const words =
  `the a I Now Mon face be 12 3 1.5 DE UK eyJ sk- key token: is "quoted" password (2024-05-17) 10:15 - -- https://example.com/a?b=c
  [1] **bold** \`code\` | 1 | 2 | ab12cd e-mail AKIA bc1 0x1f München 日本 4111 0044 x= secret account IBAN -u :`.split(
    /\s+/,
  );
const sentence = () => Array.from({ length: 1 + Math.floor(next() * 8) }, () => pick(words)).join(" ");

/** Lines of code, logs and lock files, which resemble secrets and numbers of people in many places. */
const codeLine = (): string => {
  const name = () =>
    pick(["token", "api_key", "maxTokens", "password", "secretKey", "cache_key", "hub_token", "card", "account"]);
  const value = () =>
    pick([
      name(),
      `self.${name()}`,
      `headers["${name()}"]`,
      `os.environ["${name()}"]`,
      `"${random(24)}"`,
      `"some-${name()}"`,
      `'xY7!${random(6)}'`,
      "tokenizer.pad_token",
      "&options.Source{",
      String(next()),
      digits(14),
    ]);
  return pick([
    () => `${name()} = ${value()}`,
    () => `  ${name()}: ${value()},`,
    () => `const ${name()} := ${value()};`,
    () => `call(${name()}=${value()}, ${name()}=${value()})`,
    () => `      "integrity": "sha512-${random(86, `${alphanumeric}+/`)}==",`,
    () => `golang.org/x/net v0.1.0 h1:${random(43, `${alphanumeric}+/`)}=`,
    () => `checksum = "${random(64, "0123456789abcdef")}"`,
    () =>
      `20240517${digits(6)} INFO blk_${digits(19)} id=${random(8, "0123456789abcdef")}-${digits(4)}-4${digits(3)}-${digits(12)}`,
    () => `url(data:image/png;base64,${random(120, `${alphanumeric}+/`)})`,
    () => `https://example.com/${random(6)}?token=${random(20)}&style=flat`,
    () => `${name()}\n${name()}=${random(20)}\n${name()}`,
  ])();
};

const strictPolicy = v.parse(GuardrailPolicy, { redact_contact_details: true });

function redactWhole(text: string, policy: GuardrailPolicy): string {
  return redactSpans(
    text,
    findSensitiveSpans(text).filter((span) => isRedacted(policy, "answer", span)),
  );
}

/** Cuts a text into random pieces of up to `maxLength` characters. */
function cut(text: string, maxLength: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(next() * maxLength);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function redactStream(pieces: readonly string[], policy: GuardrailPolicy): string {
  const redactor = new StreamingRedactor(policy);
  return pieces.map((piece) => redactor.push(piece)).join("") + redactor.end();
}

const rounds = sized({ usual: 200, full: 1_200, soak: 5_000 });
it.each([
  ["the default policy", defaultGuardrailPolicy],
  ["a policy that redacts contact details", strictPolicy],
])(
  "StreamingRedactor on random texts returns the same as a redaction of the whole text and leaks no sensitive value under %s",
  (_, policy) => {
    let plantedCount = 0;
    for (let round = 0; round < rounds; round++) {
      const values = Array.from({ length: 3 }, () => pick(planted)());
      const text =
        values.map(([, value]) => `${sentence()} ${value}${pick([" ", "\n", ". ", ", "])}`).join("") + sentence();
      const whole = redactWhole(text, policy);
      for (const [secret] of values) expect(whole.includes(secret), `${secret} in ${text}`).toBe(false);
      expect(redactStream(cut(text, pick([1, 3, 12, 60])), policy), text).toBe(whole);
      plantedCount += values.length;
    }
    expect(plantedCount).toBe(rounds * 3);
  },
);

it.each([
  ["the default policy", defaultGuardrailPolicy],
  ["a policy that redacts contact details", strictPolicy],
])(
  "StreamingRedactor on random texts returns the same as a redaction of the whole text for code, logs and lock files under %s",
  (_, policy) => {
    for (let round = 0; round < rounds; round++) {
      const text = Array.from({ length: 12 }, codeLine).join("\n");
      expect(redactStream(cut(text, pick([1, 3, 12, 60])), policy), text).toBe(redactWhole(text, policy));
    }
  },
);
