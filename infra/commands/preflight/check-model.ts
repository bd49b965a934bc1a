import { AwsError, awsClient } from "../../../shared/lib/aws/aws-client.ts";
import { getAwsSettings } from "../../../shared/lib/env.ts";
import { mapConcurrent } from "../../../shared/lib/map-concurrent.ts";
import { parseModelTable } from "../../../shared/models/model-settings.ts";
import type { Config } from "../../config.ts";
import { attempts, callAws, isDenied } from "./account.ts";
import { readReferences } from "./check-secrets.ts";
import { ok, type PreflightOptions, problem, type Result, UncheckedError, unchecked } from "./finding.ts";

/** Model of the settings at its provider. */
interface ConfiguredModel {
  readonly id: string;
  readonly type: string;
  readonly baseUrl: string;
  /** Key of the provider, or the reference to its secret. */
  readonly apiKey: string;
}

function listModels(settings: Readonly<Record<string, string>>): ConfiguredModel[] {
  if (settings.MODELS) {
    const { providers, models } = parseModelTable(settings.MODELS);
    return Object.entries(models).flatMap(([name, { id = name, provider }]) => {
      const { type, base_url: baseUrl = "", api_key: apiKey } = providers[provider] ?? {};
      return type && apiKey !== undefined ? [{ id, type, baseUrl, apiKey }] : [];
    });
  }
  const { MODEL_PROVIDER: type = "", MODEL_BASE_URL: baseUrl = "", MODEL_API_KEY: apiKey = "" } = settings;
  const names = Object.keys(settings).filter((name) => name === "MODEL_FALLBACK" || name.startsWith("MODEL_ID"));
  const ids = new Set(names.map((name) => settings[name]).filter((id) => id !== undefined && id !== ""));
  return [...ids].map((id) => ({ id: String(id), type, baseUrl, apiKey }));
}

/** Remedies for errors of Bedrock: of the first row whose name and message match. */
const bedrockRemedies: readonly (readonly [name: string, message: RegExp, remedy: string])[] = [
  ["AccessDeniedException", /./, "Request access to the model in the Bedrock console of this region."],
  [
    "ValidationException",
    /on-demand throughput/,
    "Name its inference profile instead, such as eu.amazon.nova-lite-v1:0, in the setting of the model.",
  ],
  [
    "ValidationException",
    /identifier is invalid/,
    "Correct the model's id, or deploy to a region that has the model: aws bedrock list-foundation-models",
  ],
  ["ResourceNotFoundException", /use case/i, "Submit the form with the use case in the Bedrock console."],
  [
    "ResourceNotFoundException",
    /./,
    "Correct the model's id, or deploy to a region that has the model: aws bedrock list-foundation-models",
  ],
  [
    "ThrottlingException",
    /./,
    "Look at the quotas of Bedrock for the model in Service Quotas, which are low or zero in new accounts, and request higher ones.",
  ],
];

/** Returns what is wrong with a model of Bedrock, and what to do; undefined if it answers. */
async function askBedrock({ id }: ConfiguredModel): Promise<string | undefined> {
  const client = awsClient({
    environmentName: "BEDROCK_RUNTIME",
    hostPrefix: "bedrock-runtime",
    signingName: "bedrock",
    ...attempts,
  });
  try {
    await client({
      path: `/model/${encodeURIComponent(id)}/converse`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        messages: [{ role: "user", content: [{ text: "Hi" }] }],
        inferenceConfig: { maxTokens: 1 },
      }),
    });
    return;
  } catch (error) {
    if (!(error instanceof AwsError)) {
      if ((error as { code?: string }).code !== "ENOTFOUND") throw error;
      return `Bedrock is not in ${getAwsSettings("BEDROCK_RUNTIME").region}. Deploy to a region that has it, or use another MODEL_PROVIDER.`;
    }
    // Bedrock answers with the same name if a policy of the credentials is missing, and if the account has no access.
    if (isDenied(error) && /not authorized to perform/.test(error.message)) {
      throw new UncheckedError(
        "The credentials lack a permission. Allow bedrock:InvokeModel, and run preflight again.",
      );
    }
    const { name, message } = error;
    const row = bedrockRemedies.find(([other, pattern]) => other === name && pattern.test(message));
    return `Bedrock refuses ${id}: ${message} ${row?.[2] ?? "Look the error up in the documentation of Converse."}`;
  }
}

/** Returns the text of a setting, or of the secret that it names. */
async function readKey(setting: string): Promise<string> {
  const [reference] = readReferences(setting);
  if (!reference) return setting;
  const { service, id, field } = reference;
  if (service === "ssm") {
    const { Parameter } = await callAws("ssm", "GetParameter", { Name: id, WithDecryption: true });
    return String((Parameter as { Value?: string }).Value);
  }
  const { SecretString } = await callAws("secretsmanager", "GetSecretValue", { SecretId: id });
  return field === undefined ? String(SecretString) : String(JSON.parse(String(SecretString))[field]);
}

/** Remedies for statuses of providers with OpenAI's API. */
const statusRemedies: Readonly<Record<number, string>> = {
  401: "The key is wrong: store the right one in the secret of the API key.",
  402: "The account has no credit: add some at the provider.",
  403: "The key may not use the model, or the provider does not serve this network: allow the model for the key's project.",
  404: "Correct the model's id, or the base URL, which mostly ends with /v1.",
  429: "The provider limits the account, or it has no credit: look at limits and billing there.",
};

/** Returns what is wrong with a model of a provider with OpenAI's API, and what to do; undefined if it answers. */
async function askCompatible({ id, baseUrl, apiKey }: ConfiguredModel): Promise<string | undefined> {
  const key = await readKey(apiKey);
  const post = async (limitField: string) => {
    const response = await fetch(`${baseUrl.replace(/\/$/, "")}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model: id, messages: [{ role: "user", content: "Hi" }], [limitField]: 1 }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: response.status, text: await response.text() };
  };
  let reply: Awaited<ReturnType<typeof post>>;
  try {
    reply = await post("max_tokens");
    // Reasoning models accept only the other name.
    if (reply.status === 400 && reply.text.includes("max_completion_tokens")) {
      reply = await post("max_completion_tokens");
    }
  } catch (error) {
    const cause = (error as { cause?: Error }).cause?.message ?? (error as Error).message;
    return `${baseUrl} cannot be reached: ${cause}. Correct the base URL, or the network.`;
  }
  const { status, text } = reply;
  if (status === 200 && text.includes('"choices"')) return;
  // A reasoning model uses the token up before its answer begins, which proves that it works.
  if (status === 400 && /output limit was reached/.test(text)) return;
  if (status === 200)
    return `${baseUrl} answers, but not with a completion. Correct the base URL, which mostly ends with /v1.`;
  const remedy =
    statusRemedies[status] ??
    (status >= 500
      ? "The provider has a fault: try again, and look at its status page."
      : "Correct the model's settings.");
  return `${baseUrl} refuses ${id} with ${status}: ${text.replaceAll(key || "\0", "<key>").slice(0, 300)} ${remedy}`;
}

/** Checks each model in the settings with a request for one token. Nothing else proves that it answers. */
export async function checkModels(
  { hasModelRequest = false }: PreflightOptions,
  { model }: Config["settings"],
): Promise<Result> {
  const models = listModels(model);
  if (models.length === 0)
    return unchecked("The settings name no model, so that none can be asked. Set MODEL_ID or MODELS.");
  const ids = models.map(({ id }) => id).join(", ");
  if (!hasModelRequest) {
    return unchecked(
      `Nothing asked ${ids}. Add --ask-model, which requests one token of each and costs less than a cent.`,
    );
  }
  const problems = await mapConcurrent(
    models,
    (each) => (each.type === "bedrock" ? askBedrock(each) : askCompatible(each)),
    3,
  );
  const texts = problems.filter((text) => text !== undefined);
  return texts.length > 0 ? problem(texts.join("\n  ")) : ok(`The models answer: ${ids}.`);
}
