import { type Script, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { incidents, type RecordedIncident, wrongClaims } from "./incidents.ts";

const toolNames = ["metrics", "logs", "deployments"] as const;

// biome-ignore lint/suspicious/noExplicitAny: messages of any shape
type Message = any;

/** Finds the incident of a request by the service that its own alert names. */
const findIncident = (messages: readonly Message[]): RecordedIncident | undefined => {
  const [, own] = /observation=\\*"a1\\*"[\s\S]*?service=([\w-]+)/.exec(JSON.stringify(messages)) ?? [];
  return incidents.find(({ service }) => service === own);
};

/** Returns the report of a scripted model: its cause, a refuted claim, and the wrong claims. */
export function toReport(incident: RecordedIncident) {
  const { cause, data } = incident;
  const idOf = (tool: (typeof toolNames)[number]) => `t${toolNames.indexOf(tool) + 1}`;
  const evidence = toolNames.flatMap((tool) => {
    const quote = cause?.quotes[tool];
    return quote === undefined || data[tool] === null ? [] : [{ observation: idOf(tool), quote }];
  });
  const causes = cause
    ? [{ claim: cause.claim, evidence, test: "Compared metrics with logs.", outcome: "supported", confidence: 0.9 }]
    : [];
  const guess = {
    claim: "Something else is wrong",
    evidence: [{ observation: "a1", quote: incident.title }],
    test: "None.",
    outcome: "supported",
    confidence: 0.8,
  };
  return { hypotheses: [...causes, guess, ...wrongClaims(incident)], next_steps: [] };
}

/** Model that calls the three tools, reports, and writes a text. */
export const scriptedModel: Script = (response, request) => {
  if (!request.body.tools) return streamText([""])(response, request);
  const { messages } = request.body as { messages: Message[] };
  const incident = findIncident(messages);
  if (!incident) return streamText(["I do not know this incident."])(response, request);
  const results = messages.filter(({ role }: Message) => role === "tool").length;
  const names: string[] = request.body.tools.map(({ function: { name } }: Message) => name);
  const canObserve = names.some((name) => name.endsWith("__metrics"));
  if (results === 0 && canObserve) {
    const calls = toolNames.map(
      (tool) => [`watch__${tool}`, JSON.stringify({ text: `${incident.service} ${tool}` })] as const,
    );
    // One after another, so that the results have the same numbers in each run.
    return streamToolCalls(calls[0] as readonly [string, string])(response, request);
  }
  if (results < toolNames.length && canObserve) {
    const tool = toolNames[results] as string;
    const input = JSON.stringify({ text: `${incident.service} ${tool}` });
    return streamToolCalls([`watch__${tool}`, input])(response, request);
  }
  if (!messages.some(({ tool_calls }: Message) => JSON.stringify(tool_calls ?? "").includes("report_findings"))) {
    return streamToolCalls(["report_findings", JSON.stringify(toReport(incident))])(response, request);
  }
  return streamText(["Done."])(response, request);
};

/** Returns what the stub servers answer to a call. */
export function callStub(name: string, { text }: { text?: string }) {
  const incident = incidents.find(({ service }) => String(text).startsWith(`${service} `));
  const data = incident?.data[name as (typeof toolNames)[number]];
  if (typeof data !== "string") return { isError: true, content: [{ type: "text", text: "No data: timeout" }] };
  return { content: [{ type: "text", text: data }] };
}
