/**
 * The model behind an inference profile of Bedrock's, which puts a geography in front (`us.vendor.model`); undefined for
 * what is none.
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
export function modelOfProfile(id: string): string | undefined {
  return /^(?:[a-z]{2}|us-gov|apac|global)\.(.+)$/.exec(id)?.[1];
}
