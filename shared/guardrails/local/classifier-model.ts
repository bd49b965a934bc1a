/** Trained model of the injection classifier, written by `infra/commands/train-injection-classifier.ts`. */
export const classifierModel = {
  /** Factor that converts a sum of the byte weights to the scale of `bias` and `threshold`. */
  scale: 0.0324313,
  bias: -0.761503,
  /** Score above which a text is reported as worded like an attack. */
  threshold: 0.313,
};
