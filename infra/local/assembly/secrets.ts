import { randomInt } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { codeOf, Failure } from "../failure.ts";
import { type Fields, fields, number, text } from "../json.ts";
import { stableId } from "./local-account.ts";

const letters = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** Values of the secrets that templates ask to be generated, in a file only its owner may read, so that they survive a restart. */
export class Secrets {
  readonly #file: string;
  readonly #values: Fields;

  /** @throws Failure when the file exists and is not what this class wrote. */
  constructor(file: string) {
    this.#file = file;
    try {
      this.#values = fields(JSON.parse(readFileSync(file, "utf8")));
    } catch (error) {
      if (codeOf(error) !== "ENOENT")
        throw new Failure(`${file} cannot be read as JSON. Start with --fresh to forget the local state.`);
      this.#values = {};
    }
  }

  /** The value of an `AWS::SecretsManager::Secret` with these properties; made up at the first call, and anew when they change. */
  value(path: string, properties: Fields): string {
    const literal = text(properties.SecretString);
    if (literal !== undefined) return literal;
    const options = fields(properties.GenerateSecretString);
    const key = `${path} ${stableId(JSON.stringify(options))}`;
    const known = text(this.#values[key]);
    if (known !== undefined) return known;
    const generated = generate(options);
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
function generate(options: Fields): string {
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
