import { Agent, request } from "node:http";

/** Chat completions endpoint to measure. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly model: string;
  /** Process that serves it. */
  readonly pid: number;
  /** Part of the requests that it receives; less than 1 for servers that take too long otherwise. */
  readonly share?: number;
}

/** Times of one request in milliseconds. */
export interface Times {
  readonly firstByte: number;
  readonly whole: number;
}

const prompts = {
  short: "What is the weather like in the north?",
  paced: "Tell slowly what the weather is like.",
} as const;

export function createBody({ model }: Target, stream: boolean, prompt: keyof typeof prompts = "short"): string {
  return JSON.stringify({ model, stream, messages: [{ role: "user", content: prompts[prompt] }] });
}

function measureOne(target: Target, body: string, agent: Agent): Promise<Times> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(target.url, { method: "POST", agent, headers: target.headers }, (response) => {
      let firstByte = 0;
      response.on("data", () => {
        firstByte ||= performance.now() - startedAt;
      });
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`${target.name} responded with ${response.statusCode}`));
        else resolve({ firstByte, whole: performance.now() - startedAt });
      });
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/**
 * Sends requests from a number of clients, each of which sends the next one when it has received a response. Connections are
 * not reused by the next measurement, because a server may close them while they are idle.
 */
export async function measure(target: Target, body: string, clients: number, requests: number): Promise<Times[]> {
  let remaining = Math.max(clients, Math.round(requests * (target.share ?? 1)));
  const times: Times[] = [];
  const agent = new Agent({ keepAlive: true });
  const send = async () => {
    while (remaining-- > 0) times.push(await measureOne(target, body, agent));
  };
  await Promise.all(Array.from({ length: clients }, send)).finally(() => agent.destroy());
  return times;
}

/** Calls a function for each target and round. Rotates which target comes first. */
export async function inTurns(
  targets: readonly Target[],
  rounds: number,
  run: (target: Target, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const first = round % targets.length;
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) await run(target, round);
  }
}

/** Returns a quantile of values; 0 without values. */
export function quantile(values: readonly number[], q: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? 0;
}
