import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, limitParam, PathId } from "../fields.ts";

export const PassagePosition = describe(Integer, "The position of the passage in the document, from 0.");

export const PageNumber = describe(
  v.nullable(Integer),
  "The page or slide on which the passage starts, from 1. `null` in documents without pages.",
);

export const HeadingPath = describe(
  v.nullable(v.string()),
  "The headings above the passage, outermost first. `null` if there are none.",
);

/** Part of a passage that stands on one page and below the same headings. */
const PassageSegment = v.object({
  start: describe(Integer, "The start in `text`, in UTF-16 code units."),
  page: describe(v.nullable(Integer), "The page or slide, from 1. `null` in documents without pages."),
  heading: HeadingPath,
});

/** Passage of a document with its complete text. */
const Passage = v.object({
  passage: PassagePosition,
  page: PageNumber,
  heading: HeadingPath,
  text: v.string(),
  segments: describe(
    v.array(PassageSegment),
    "The parts of the text by page and headings, in order; the first starts at 0.",
  ),
});
export type Passage = v.InferOutput<typeof Passage>;

const MAX_NEIGHBORS = 5;

const route = routeGroup({ group: "knowledge", auth: "jwt" });

export const getPassageRoute = route("GET /v1/knowledge/collections/{id}/documents/{document_id}/passages/{passage}", {
  id: "getPassage",
  params: v.object({
    id: PathId,
    document_id: PathId,
    passage: v.pipe(
      v.string(),
      v.regex(/^\d{1,6}$/),
      v.transform(Number),
      v.metadata({ jsonSchema: { type: "integer", minimum: 0 } }),
    ),
  }),
  query: v.object({ neighbors: limitParam(MAX_NEIGHBORS, 1) }),
  replies: {
    200: v.object({
      document_id: Id,
      collection_id: Id,
      title: v.string(),
      uri: v.nullable(v.string()),
      ...Passage.entries,
      passage_count: describe(Integer, "The number of passages of the document."),
      before: describe(v.array(Passage), "The passages before it, in the order of the document."),
      after: describe(v.array(Passage), "The passages after it, in the order of the document."),
    }),
  },
  summary: "Get a passage of a document",
  description:
    "Returns the text that a citation or search result refers to, with up to `neighbors` passages on each side. Quotes and snippets are verbatim parts of this text. Access is checked on every request.",
});
