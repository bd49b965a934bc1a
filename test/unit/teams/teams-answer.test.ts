import { expect, it, vi } from "vitest";
import { ThreadAnswer } from "#shared/messengers/thread-answer.ts";
import { teamsAnswer } from "#shared/teams/answer-transport.ts";
import { TeamsError } from "#shared/teams/connector.ts";

vi.stubEnv("LOG_LEVEL", "error");

interface Sent {
  readonly type?: string;
  readonly text?: string;
  readonly entities?: readonly { readonly streamType: string; readonly streamId?: string }[];
}

/** Answer whose calls are recorded; `refuse` returns the message with which Teams refuses a call. */
function newAnswer(
  refuse: (activity: Sent) => string | undefined = () => undefined,
  { hasStreams = true, reply }: { hasStreams?: boolean; reply?: { id: string; is_stream: boolean } } = {},
) {
  const calls: string[] = [];
  const call = async (name: string, activity: Sent) => {
    calls.push(`${[name, activity.entities?.[0]?.streamType].filter(Boolean).join(" ")}: ${activity.text}`);
    const message = refuse(activity);
    if (message) throw new TeamsError(`ContentStreamNotAllowed: ${message}`, 403);
    return "9";
  };
  const transport = teamsAnswer({
    hasStreams,
    send: (activity) => call("send", activity),
    replace: async (id, activity) => void (await call(`replace ${id}`, activity)),
  });
  return { calls, answer: new ThreadAnswer(transport, reply, async () => undefined) };
}

const isFinal = ({ entities }: Sent) => entities?.[0]?.streamType === "final";

it("answer in Teams ends its stream with the whole text, and holds back the beginning of an image", async () => {
  const { answer, calls } = newAnswer();
  answer.add("Look: !");
  await answer.flush();
  answer.add("[x](https://evil.example)");
  await answer.finish("Look: ![x](https://evil.example)", "", "more");
  expect(calls).toEqual(["send streaming: Look: ", "send final: Look: [x](https://evil.example)"]);
});

it("answer in Teams is sent as a message when its stream took too long, but not when the person has stopped the stream", async () => {
  const late = newAnswer((sent) =>
    isFinal(sent) ? "Content stream finished due to exceeded streaming time" : undefined,
  );
  late.answer.add("One. ");
  await late.answer.flush();
  await late.answer.finish("One. Two.", "", "more");
  expect(late.calls).toEqual(["send streaming: One. ", "send final: One. Two.", "send: One. Two."]);
  const stopped = newAnswer((sent) => (isFinal(sent) ? "Content stream was canceled by user" : undefined));
  stopped.answer.add("One. ");
  await stopped.answer.flush();
  await stopped.answer.finish("One. Two.", "", "more");
  expect(stopped.calls).toEqual(["send streaming: One. ", "send final: One. Two."]);
});

it("answer in Teams is one message that is updated where streams are not offered or refused", async () => {
  const channel = newAnswer(undefined, { hasStreams: false });
  channel.answer.add("One. ");
  await channel.answer.flush();
  await channel.answer.finish("One. Two.", "", "more");
  expect(channel.calls).toEqual(["send: One. ", "replace 9: One. Two."]);
  const refused = newAnswer(({ type }) => (type === "typing" ? "Content stream is not allowed" : undefined));
  refused.answer.add("One. ");
  await refused.answer.flush();
  await refused.answer.finish("One. Two.", "", "more");
  expect(refused.calls).toEqual(["send streaming: One. ", "send: One. ", "replace 9: One. Two."]);
});

it("answer in Teams completes the stream of a function that died, and ends its own stream before a pause of the run", async () => {
  const { answer, calls } = newAnswer(undefined, { reply: { id: "5", is_stream: true } });
  await answer.finish("Whole.", "", "more");
  expect(calls).toEqual(["send final: Whole."]);
  const paused = newAnswer();
  paused.answer.add("I will note it.");
  await paused.answer.flush();
  await paused.answer.interrupt();
  await paused.answer.finish("I will note it. Done.", "", "more");
  expect(paused.calls.slice(1)).toEqual(["send final: I will note it.", "send: I will note it. Done."]);
});
