import { expect, it } from "vitest";
import type { FindingsReport } from "#shared/investigations/findings.ts";
import { judge } from "#shared/investigations/judge.ts";
import type { RecordedObservation } from "#shared/investigations/record-store.ts";
import { incidents, wrongClaims } from "#test/support/investigations/incidents.ts";

const observe = (id: string, text: string, changes: Partial<RecordedObservation> = {}): RecordedObservation => ({
  id,
  kind: id.startsWith("t") ? "tool" : "alert",
  title: id,
  at: "2026-11-25T10:00:00.000Z",
  excerpt: "",
  ref: null,
  text,
  is_failed: false,
  ...changes,
});

const observations = [
  observe("a1", "Error rate above 5 %"),
  observe("t1", '{"text":"pool db_pool in use 50 of 50\\nsince 10:00"}'),
  observe("t2", "10:00:40 WARN timeout while waiting for db_pool"),
  observe("t3", "connection refused", { is_failed: true }),
];

type Claim = FindingsReport["hypotheses"][number];

const claimOf = (changes: Partial<Claim>): Claim => ({
  claim: "The pool db_pool is exhausted",
  evidence: [
    { observation: "t1", quote: "db_pool in use 50 of 50 since 10:00" },
    { observation: "t2", quote: "timeout while waiting for db_pool" },
  ],
  test: "Compared metrics with logs.",
  outcome: "supported",
  confidence: 0.9,
  ...changes,
});

const judgeClaims = (...claims: Claim[]) => judge({ hypotheses: claims, next_steps: [] }, observations);

it("verdict on the claims of an investigation is confirmed for a cause that two tools support", () => {
  expect(judgeClaims(claimOf({}))).toMatchObject({ verdict: "confirmed", cause: "The pool db_pool is exhausted" });
});

it("verdict on the claims of an investigation is probable for a cause that one tool supports, however sure the model is", () => {
  const claim = claimOf({ evidence: claimOf({}).evidence.slice(0, 1), confidence: 1 });
  expect(judgeClaims(claim)).toMatchObject({ verdict: "probable", hypotheses: [{ confidence: 0.6 }] });
});

it("verdict on the claims of an investigation is inconclusive for two causes that are equally well supported", () => {
  expect(judgeClaims(claimOf({}), claimOf({ claim: "The database is slow" }))).toMatchObject({
    verdict: "inconclusive",
    cause: null,
  });
});

it("verdict on the claims of an investigation is inconclusive for a claim that rests on the alert alone, which counts as untested", () => {
  const claim = claimOf({ claim: "It fails", evidence: [{ observation: "a1", quote: "Error rate above" }] });
  expect(judgeClaims(claim)).toMatchObject({
    verdict: "inconclusive",
    hypotheses: [{ outcome: "untested", confidence: 0.3 }],
  });
});

it("verdict on the claims of an investigation is inconclusive without a report", () => {
  expect(judge(null, observations)).toMatchObject({ verdict: "inconclusive", hypotheses: [], discarded: [] });
});

it.each([
  ["names no observation", { evidence: [] }, "no observation that exists"],
  ["names an unknown one", { evidence: [{ observation: "t9", quote: "timeout while" }] }, "no observation that exists"],
  [
    "names an unknown one among others",
    { evidence: [...claimOf({}).evidence, { observation: "t9", quote: "timeout while" }] },
    "does not exist",
  ],
  [
    "changes a quotation",
    { evidence: [{ observation: "t2", quote: "timeout while waiting for db_pool2" }] },
    "word for word",
  ],
  ["quotes too little", { evidence: [{ observation: "t2", quote: "WARN" }] }, "word for word"],
  ["rests on a call that failed", { evidence: [{ observation: "t3", quote: "connection refused" }] }, "failed"],
  ["adds a number", { claim: "The pool db_pool has 64 waiting requests" }, "contains 64"],
  ["adds a technical name", { claim: "The pool user_pool is exhausted" }, "contains user_pool"],
])("claim of an investigation is discarded when it %s", (_, changes, reason) => {
  const { hypotheses, discarded } = judgeClaims(claimOf(changes));
  expect(hypotheses).toEqual([]);
  expect(discarded[0]?.reason).toContain(reason);
});

it("claim of an investigation is discarded if the observations do not support it: all wrong claims about 40 incidents", () => {
  for (const incident of incidents) {
    const known = [observe("a1", incident.title), observe("t1", incident.data.deployments ?? "")];
    const { hypotheses, discarded } = judge({ hypotheses: wrongClaims(incident), next_steps: [] }, known);
    expect([hypotheses, discarded.length]).toEqual([[], wrongClaims(incident).length]);
  }
});

it("next step of an investigation is kept only if the named observation contains its command and links", () => {
  const source = [observe("p1", "Run `deployctl history`, see https://wiki.example/a", { kind: "passage" })];
  const step = { text: "Look", observation: "p1", command: null, link: null };
  const next_steps = [
    { ...step, command: "deployctl history" },
    { ...step, command: "rm -rf /" },
    { ...step, link: "https://evil.example/" },
    { ...step, text: "Open HTTPS://evil.example/?d=secret" },
    { ...step, observation: "p2" },
  ];
  expect(judge({ hypotheses: [], next_steps }, source).next_steps).toEqual([{ ...step, command: "deployctl history" }]);
});
