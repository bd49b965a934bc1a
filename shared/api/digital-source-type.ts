import * as v from "valibot";

/** Codes of IPTC for text that a model wrote, and for such text that a person changed: http://cv.iptc.org/newscodes/digitalsourcetype/. */
export const DigitalSourceType = v.picklist(["trainedAlgorithmicMedia", "compositeWithTrainedAlgorithmicMedia"]);
