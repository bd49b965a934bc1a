import { randomInt } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { stableId } from "../assembly/local-account.ts";
import { codeOf, Failure } from "../failure.ts";
import { type Fields, fields, isFields, number, text } from "../json.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** Value of a secret and the time at which it was stored; 0 for a value that was generated or is in the template. */
interface SecretVersion {
  value: string;
  createdAtMs: number;
}

/** Values of secrets. They are stored in a file that only its owner can read, and survive a restart. */
export class Secrets {
  readonly #file: string;
  readonly #values: Fields;

  /** @throws Failure when the file exists and is not valid JSON */
  constructor(file: string) {
    this.#file = file;
    try {
      this.#values = fields(JSON.parse(readFileSync(file, "utf8")));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") {
        throw new Failure(`${file} is not valid JSON. Start with --fresh to reset the local state.`);
      }
      this.#values = {};
    }
  }

  /** Returns the value of an `AWS::SecretsManager::Secret`. Generates it on the first call and when its properties change. */
  getVersion(path: string, properties: Fields): SecretVersion {
    const key = keyOf(path, properties);
    const stored = this.#values[key];
    if (isFields(stored)) return { value: String(stored.value), createdAtMs: number(stored.createdAtMs, 0) };
    const literal = text(stored) ?? text(properties.SecretString);
    if (literal !== undefined) return { value: literal, createdAtMs: 0 };
    const generated = generateSecret(fields(properties.GenerateSecretString));
    this.#values[key] = generated;
    this.#save();
    return { value: generated, createdAtMs: 0 };
  }

  /** Stores a new value, which is valid until the properties of the secret in the template change. */
  putValue(path: string, properties: Fields, value: string): void {
    this.#values[keyOf(path, properties)] = { value, createdAtMs: Date.now() } satisfies SecretVersion;
    this.#save();
  }

  #save(): void {
    const draft = `${this.#file}.new`;
    writeFileSync(draft, `${JSON.stringify(this.#values, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, this.#file);
  }
}

function keyOf(path: string, { SecretString, GenerateSecretString }: Fields): string {
  return `${path} ${stableId(text(SecretString) ?? JSON.stringify(fields(GenerateSecretString)))}`;
}

/**
 * Generates a value by the rules of the template.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-secretsmanager-secret-generatesecretstring.html
 */
function generateSecret(options: Fields): string {
  const excluded = text(options.ExcludeCharacters) ?? "";
  const alphabet = [
    ...(options.ExcludeLowercase === true ? "" : letters),
    ...(options.ExcludeUppercase === true ? "" : letters.toUpperCase()),
    ...(options.ExcludeNumbers === true ? "" : digits),
    ...(options.ExcludePunctuation === true ? "" : punctuation),
    ...(options.IncludeSpace === true ? " " : ""),
  ].filter((character) => !excluded.includes(character));
  const password = Array.from(
    { length: number(options.PasswordLength, 32) },
    () => alphabet[randomInt(alphabet.length)],
  );
  const key = text(options.GenerateStringKey);
  if (key === undefined) return password.join("");
  return JSON.stringify({
    ...fields(JSON.parse(text(options.SecretStringTemplate) ?? "{}")),
    [key]: password.join(""),
  });
}
