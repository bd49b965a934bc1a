import { vi } from "vitest";
import type { Client } from "../client.ts";

/** Polls until a website has an unanswered question that was asked a number of times, and returns it. */
export const waitForQuestion = (owner: Client, keyPath: string, count = 1) =>
  vi.waitFor(
    async () => {
      const { body, text } = await owner.get(`${keyPath}/questions`);
      const [question] = body.questions;
      if (question?.count !== count) throw new Error(`The question was not recorded: ${text}`);
      return question;
    },
    { timeout: 180_000, interval: 50 },
  );
