const http = require("node:http");
const headers = (action) => ({
  "x-amz-target": action,
  "content-type": "application/x-amz-json-1.0",
  "x-amz-date": "20260101T000000Z",
  authorization: `AWS4-HMAC-SHA256 Credential=${process.env.AWS_ACCESS_KEY_ID}/20260101/us-east-1/x/aws4_request, SignedHeaders=host, Signature=0`,
});

const callWithHttp = (url, target, input) =>
  new Promise((resolve) => {
    const request = http.request(url, { method: "POST", headers: headers(target) }, (response) => {
      let text = "";
      response.on("data", (data) => {
        text += data;
      });
      response.on("end", () => resolve({ status: response.statusCode, output: JSON.parse(text) }));
    });
    request.on("error", ({ name, message }) => resolve({ error: { name, message } }));
    request.end(JSON.stringify(input));
  });

const callWithFetch = async (url, target, input) => {
  try {
    const response = await fetch(url, { method: "POST", headers: headers(target), body: JSON.stringify(input) });
    return { status: response.status, output: await response.json() };
  } catch (error) {
    const { name, message } = error.cause ?? error;
    return { error: { name, message } };
  }
};

/** Calls the service that the body names: `{ service, target, input, client }`. */
exports.handler = async (event) => {
  const { service, target, input, client } = JSON.parse(event.body);
  const call = client === "fetch" ? callWithFetch : callWithHttp;
  const result = await call(process.env[`AWS_ENDPOINT_URL_${service}`], target, input);
  return { statusCode: 200, body: JSON.stringify(result) };
};
