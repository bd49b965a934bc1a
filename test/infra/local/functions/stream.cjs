const { appendFileSync, existsSync } = require("node:fs");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
exports.handler = awslambda.streamifyResponse(async (event, stream, context) => {
  const { how, name } = event.queryStringParameters ?? {};
  const log = (line) => appendFileSync(process.env.NOTES, `${name}: ${line}\n`);
  if (how === "fail-early") throw new Error("before the first byte");
  if (how === "silent") await pause(2500);
  if (how === "raw") return stream.end("raw bytes");
  const response = awslambda.HttpResponseStream.from(stream, {
    statusCode: 202,
    headers: { "content-type": "text/event-stream", "x-function": context.functionName },
    cookies: ["a=1", "b=2"],
  });
  if (how === "empty") return response.end();
  if (how === "head") {
    response.write("");
    return response.end();
  }
  if (how === "echo") return response.end(JSON.stringify(event));
  if (how === "flood") {
    const megabyte = Buffer.alloc(1024 * 1024, "x");
    for (let index = 0; index < 20; index++) {
      if (!response.write(megabyte)) await new Promise((resolve) => response.once("drain", resolve));
      log(`flood ${index}`);
    }
    return response.end();
  }
  if (how === "acknowledged") {
    for (let index = 0; index < 5; index++) {
      response.write(String(index));
      while (!existsSync(`${process.env.NOTES}.acknowledged-${index + 1}`)) await pause(5);
    }
    return response.end();
  }
  for (let index = 0; index < 5; index++) {
    response.write(`${index} ${Date.now()}\n`);
    log(`chunk ${index}`);
    await pause(60);
    if (how === "fail-late" && index === 2) throw new Error("half-way");
  }
  response.end();
  await pause(50);
  log("after the end");
});
