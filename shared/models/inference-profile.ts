/**
 * Returns the model of a Bedrock inference profile, whose id prefixes that of the model with a geography
 * (`us.vendor.model`); undefined for other ids.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function findProfileModel(id: string): string | undefined {
  return /^(?:[a-z]{2}|us-gov|apac|global)\.(.+)$/.exec(id)?.[1];
}
