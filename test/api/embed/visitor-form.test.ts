import { expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { createSite } from "#test/support/embed/site.ts";

const form = {
  fields: [
    { name: "name", label: "Name" },
    { name: "email", label: "E-mail", type: "email", is_required: false },
    { name: "topic", label: "Topic", type: "choice", options: ["Order", "Return"] },
  ],
  consent: "We store what you enter for a week.",
};
const values = { name: "Ann", topic: "Return" };

it("form of a website is required for a new session, checked by its fields, and stored with the session", async () => {
  const owner = new Client(newIdentity());
  const site = await createSite(owner, { form, handover: {} });
  expect((await site.request("GET", "/v1/embed/config")).body.form.fields).toMatchObject(form.fields);
  const refusals = [
    [undefined, "form_required", []],
    [{ values, consent: undefined }, "validation_failed", ["form.consent"]],
    [{ values: { ...values, name: " " }, consent: true }, "validation_failed", ["form.values.name"]],
    [{ values: { ...values, email: "ann" }, consent: true }, "validation_failed", ["form.values.email"]],
    [{ values: { ...values, topic: "Other" }, consent: true }, "validation_failed", ["form.values.topic"]],
    [{ values: { ...values, age: "7" }, consent: true }, "validation_failed", ["form.values.age"]],
    [{ values: { ...values, __proto__x: "7" }, consent: true }, "validation_failed", null],
  ] as const;
  for (const [input, code, paths] of refusals) {
    const { status, body } = await site.startSession({ form: input });
    expect([status, body.code]).toEqual([400, code]);
    if (paths) expect((body.errors ?? []).map(({ path }: { path: string }) => path)).toEqual(paths);
  }
  const { status, body } = await site.startSession({ form: { values, consent: true } });
  expect(status).toBe(201);
  expect((await site.startSession({ session_id: body.id })).status).toBe(200);
  const entries = [
    { name: "name", label: "Name", value: "Ann" },
    { name: "topic", label: "Topic", value: "Return" },
  ];
  const [session] = (await owner.get(`/v1/tenant/embed-keys/${site.key.id}/sessions`)).body.sessions;
  expect(session.form).toEqual(entries);
  await site.request("PUT", `/v1/embed/sessions/${body.id}/handover`, {});
  expect((await owner.get("/v1/handovers")).body.handovers).toMatchObject([{ form: entries }]);
  expect(JSON.stringify((await site.getSession(body.id)).body)).not.toContain("Ann");
});

it("form of a website is refused with fields of the same name, and with choices without options", async () => {
  const owner = new Client(newIdentity());
  for (const fields of [[form.fields[0], form.fields[0]], [{ name: "topic", label: "Topic", type: "choice" }], []]) {
    const key = { name: "Shop", allowed_origins: ["https://shop.example.com"], form: { fields } };
    expect((await owner.post("/v1/tenant/embed-keys", key)).status).toBe(400);
  }
});
