const reply = (body, fields = {}) => ({ statusCode: 200, body: JSON.stringify(body), ...fields });

exports.echo = async (event, context) =>
  reply({
    event,
    context: { ...context, remaining: context.getRemainingTimeInMillis() },
    environment: { ...process.env },
  });

exports.named = async (event) => reply({ resource: event.resource, parameters: event.pathParameters });

exports.picture = async () => ({
  statusCode: 201,
  headers: { "Content-Type": "image/png", "WWW-Authenticate": "Bearer" },
  multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] },
  body: Buffer.from([0, 255, 1]).toString("base64"),
  isBase64Encoded: true,
});

exports.malformed = async () => ({ status: 200, text: "not a proxy response" });

exports.broken = async () => {
  throw new Error("injected failure");
};

exports.callback = (_event, _context, callback) => setTimeout(callback, 1, null, reply("called back"));

exports.crash = async (event) => {
  if (event.queryStringParameters?.how === "exit") process.exit(3);
  if (event.queryStringParameters?.how === "throw") {
    setTimeout(() => {
      throw new Error("uncaught, injected failure");
    }, 5);
    await new Promise(() => {});
  }
  return reply("alive");
};

let sleepers = 0;
exports.sleep = async (event) => {
  sleepers++;
  await new Promise((resolve) => setTimeout(resolve, Number(event.queryStringParameters?.ms ?? 0)));
  return reply({ sleepers });
};

let calls = 0;
exports.gate = async (event) => {
  const token = event.headers.Authorization ?? event.headers.authorization;
  if (token === "throw") throw new Error("Unauthorized");
  if (token === "fail") throw new Error("no database");
  if (token === "nonsense") return { hello: "world" };
  calls++;
  const Effect = token === "deny" ? "Deny" : "Allow";
  const Resource = token === "narrow" ? event.methodArn : "*";
  return {
    principalId: "someone",
    policyDocument: { Version: "2012-10-17", Statement: [{ Effect, Action: "execute-api:Invoke", Resource }] },
    context: { calls, detail: `token was ${token}`, admin: true },
  };
};
