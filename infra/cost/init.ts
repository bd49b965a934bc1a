/**
 * Assumed length of the start of an execution environment (INIT), which AWS bills like duration since August 2025, and the
 * share of invocations that start one. The local runner has no INIT, so neither is measured: a function of Node.js without code
 * takes about 0.2 s, the largest of the service add 0.07 s in `npm run bench -- functions`, and AWS states less than 1 %.
 * @see https://aws.amazon.com/blogs/compute/aws-lambda-standardizes-billing-for-init-phase/
 */
export const [INIT_SECONDS, INIT_SHARE] = [0.25, 0.01];

/** Returns the GB-seconds of INIT that an invocation costs on average. */
export const initDuration = (memoryMb: number, share = INIT_SHARE): number => share * INIT_SECONDS * (memoryMb / 1_024);
