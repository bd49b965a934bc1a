import * as v from "valibot";
import { Id } from "./fields.ts";

/** Document of the knowledge that a question names. */
export const DocumentReference = v.strictObject({ collection_id: Id, document_id: Id });
export type DocumentReference = v.InferOutput<typeof DocumentReference>;

/** Document that a question named, with its title at that time. */
export const MessageDocument = v.object({ ...DocumentReference.entries, title: v.string() });
export type MessageDocument = v.InferOutput<typeof MessageDocument>;
