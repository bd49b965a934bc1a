import type { ApiResponse } from "../client.ts";

/** Sends a request of an operation twice and returns the bodies of both responses; `turn` is 0 and then 1. */
export type CallTwice = (operation: string, request: (turn: 0 | 1) => Promise<ApiResponse>) => Promise<Bodies>;

/** Bodies of the responses to both requests. */
// biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
export type Bodies = readonly [any, any];
