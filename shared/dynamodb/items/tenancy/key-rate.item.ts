import { defineItem } from "../../define-item.ts";
import { rateItem } from "./rate.item.ts";

export const keyRateItem = defineItem({
  type: "key-rate",
  keys: { rate: rateItem.keys.rate },
  // Counter of a key's requests. The stream delivers its insertion, which records that the key is used.
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
