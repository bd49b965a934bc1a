import { gateReasons } from "../api/personas/persona.ts";
import { problemCodes } from "../api/problem-codes.ts";
import type { Json } from "./json-schema.ts";

/** Schema of the errors of this service. */
export const problemSchema: Json = {
  type: "object",
  description: "An RFC 9457 problem. `type` is the path of a page that documents the error.",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    request_id: { type: "string" },
    code: { type: "string", enum: Object.keys(problemCodes) },
    quota: {
      type: "object",
      description: "The budget that is used up; only with `quota_exceeded`.",
      additionalProperties: true,
    },
    storage: {
      type: "object",
      description: "The limit that is reached, in documents or bytes; only with `storage_full`.",
      properties: {
        unit: { type: "string", enum: ["documents", "bytes"] },
        used: { type: "integer" },
        added: { type: "integer" },
        limit: { type: "integer" },
      },
      required: ["unit", "used", "added", "limit"],
    },
    gate: {
      type: "object",
      description: "Why the gate of a persona stops a version; only with `conflict`.",
      properties: {
        reason: {
          type: "string",
          enum: [...gateReasons],
          description:
            "`pending` until the run has ended, `failed` by thresholds, `set_deleted` if the test set was deleted, `draft_required` for an update that is no draft.",
        },
        run_id: { type: ["string", "null"], description: "The run that was judged, or that is in progress." },
        failed: {
          type: "array",
          description: "The thresholds that the version does not reach. `measured` is null if it is not known.",
          items: {
            type: "object",
            properties: {
              threshold: { type: "string" },
              required: { type: "number" },
              measured: { type: ["number", "null"] },
            },
            required: ["threshold", "required", "measured"],
          },
        },
        item_ids: {
          type: "array",
          description: "At most 20 items whose answers do not fulfill all expectations, the required ones first.",
          items: { type: "string" },
        },
      },
      required: ["reason", "run_id", "failed", "item_ids"],
    },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          path: { type: "string" },
          location: { type: "string", enum: ["body", "query", "path", "header"] },
          code: { type: "string" },
          message: { type: "string" },
        },
        required: ["path", "location", "code", "message"],
      },
    },
  },
  required: ["type", "title", "status", "detail", "request_id", "code"],
};

export const openaiErrorSchema: Json = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
      required: ["message", "type", "param", "code"],
    },
  },
  required: ["error"],
};

/** Schema of the errors of the messages API. */
export const anthropicErrorSchema: Json = {
  type: "object",
  properties: {
    type: { type: "string" },
    error: {
      type: "object",
      properties: { type: { type: "string" }, message: { type: "string" } },
      required: ["type", "message"],
    },
  },
  required: ["error"],
};

export const scimErrorSchema: Json = {
  type: "object",
  properties: {
    schemas: { type: "array", items: { type: "string" } },
    status: { type: "string" },
    scimType: { type: "string" },
    detail: { type: "string" },
  },
  required: ["schemas", "status", "detail"],
};
