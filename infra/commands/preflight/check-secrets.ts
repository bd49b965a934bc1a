import { AwsError } from "../../../shared/lib/aws/aws-client.ts";
import { mapConcurrent } from "../../../shared/lib/map-concurrent.ts";
import type { Config } from "../../config.ts";
import { callAws } from "./account.ts";
import { ok, problem, type Result } from "./finding.ts";

/** Secret or parameter that a setting names by a dynamic reference of CloudFormation. */
export interface NamedSecret {
  readonly service: "secretsmanager" | "ssm";
  /** Name or ARN. */
  readonly id: string;
  /** Field of a JSON secret; undefined for the whole text. */
  readonly field?: string | undefined;
  /** Settings that name the secret. */
  readonly settings: readonly string[];
}

/** Parses `secretsmanager:<id>[:SecretString[:<field>[:<version>]]]` or `ssm:<name>[:<version>]`. */
function parseReference(service: string, text: string): Omit<NamedSecret, "settings"> {
  if (service === "ssm") return { service, id: text.replace(/:\d+$/, "") };
  const [id = "", rest = ""] = text.split(":SecretString");
  return { service: "secretsmanager", id, field: rest.split(":")[1] || undefined };
}

/** Returns the secrets and parameters that a text names. */
export const readReferences = (text: string): Omit<NamedSecret, "settings">[] =>
  [...text.matchAll(/\{\{resolve:(secretsmanager|ssm):([^{}]+)\}\}/g)].map(([, service = "", reference = ""]) =>
    parseReference(service, reference),
  );

/** Returns the secrets and parameters that the settings name, each once. */
function listNamedSecrets(settings: Config["settings"]): NamedSecret[] {
  const secrets = new Map<string, NamedSecret>();
  for (const [name, value] of Object.values(settings).flatMap((group) => Object.entries(group))) {
    for (const { service, id } of readReferences(value)) {
      const users = new Set([...(secrets.get(`${service}:${id}`)?.settings ?? []), name]);
      secrets.set(`${service}:${id}`, { service, id, settings: [...users] });
    }
  }
  return [...secrets.values()];
}

/** Description of a secret, as far as this check reads it. */
interface SecretDescription {
  readonly DeletedDate?: number;
  readonly VersionIdsToStages?: Readonly<Record<string, readonly string[]>>;
}

/** Returns what is wrong with a secret that a setting names, and what to do; undefined if functions can read it. */
async function findSecretProblem({ service, id, settings }: NamedSecret): Promise<string | undefined> {
  const user = settings.join(", ");
  try {
    if (service === "ssm") {
      await callAws("ssm", "GetParameter", { Name: id });
      return;
    }
    const reply = (await callAws("secretsmanager", "DescribeSecret", { SecretId: id })) as SecretDescription;
    if (reply.DeletedDate !== undefined) {
      return `The secret ${id} (${user}) is scheduled for deletion. Restore it: aws secretsmanager restore-secret --secret-id ${id}`;
    }
    const stages = Object.values(reply.VersionIdsToStages ?? {}).flat();
    if (stages.includes("AWSCURRENT")) return;
    return `The secret ${id} (${user}) has no value. Store one: aws secretsmanager put-secret-value --secret-id ${id} --secret-string <value>`;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    if (error.name === "ParameterNotFound") {
      return `The parameter ${id} (${user}) does not exist in this region. Correct the setting, or create it: aws ssm put-parameter --name ${id} --type String --value <value>`;
    }
    if (error.name === "ResourceNotFoundException" || error.name === "ValidationException") {
      return `The secret ${id} (${user}) does not exist in this region. Correct the setting, or create it: aws secretsmanager create-secret --name ${id} --secret-string <value>`;
    }
    throw error;
  }
}

/** Checks that each secret which a setting names exists. A wrong name deploys, and fails at the first request. */
export async function checkNamedSecrets(settings: Config["settings"]): Promise<Result> {
  const secrets = listNamedSecrets(settings);
  if (secrets.length === 0) return ok("No setting names a secret.");
  const problems = await mapConcurrent(secrets, findSecretProblem, 5);
  const texts = problems.filter((text) => text !== undefined);
  if (texts.length > 0) return problem(texts.join("\n  "));
  return ok(`The secrets of the settings exist: ${secrets.map(({ id }) => id).join(", ")}.`);
}
