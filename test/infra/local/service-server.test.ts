import { expect, it } from "vitest";
import { Failure } from "../../../infra/local/failure.ts";
import { ServiceServer } from "../../../infra/local/service-server.ts";

it("server of local files listens at the chosen port, and reports a port that is in use", async () => {
  const first = await ServiceServer.listen("token");
  const port = Number(first.address.split(":")[1]);
  await expect(ServiceServer.listen("token", port)).rejects.toThrow(Failure);
  first.close();
  const second = await ServiceServer.listen("token", port);
  expect(second.address).toBe(`127.0.0.1:${port}`);
  second.close();
});
