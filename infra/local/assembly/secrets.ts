import { randomInt } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { codeOf, Failure } from "../failure.ts";
import { type Fields, fields, number, text } from "../json.ts";
import { stableId } from "./local-account.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** Store for generated secret values. Values survive a restart in a file that only its owner can read. */
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
  getValue(path: string, properties: Fields): string {
    const literal = text(properties.SecretString);
    if (literal !== undefined) return literal;
    const options = fields(properties.GenerateSecretString);
    const key = `${path} ${stableId(JSON.stringify(options))}`;
    const stored = text(this.#values[key]);
    if (stored !== undefined) return stored;
    const generated = generateSecret(options);
    this.#values[key] = generated;
    this.#save();
    return generated;
  }

  #save(): void {
    const draft = `${this.#file}.new`;
    writeFileSync(draft, `${JSON.stringify(this.#values, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, this.#file);
  }
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-secretsmanager-secret-generatesecretstring.html */
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
