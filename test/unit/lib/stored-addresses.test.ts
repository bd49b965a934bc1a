import { afterEach, describe, expect, it, vi } from "vitest";
import { requireAllowedAddress } from "#shared/lib/outgoing/find-server-refusal.ts";

afterEach(() => vi.unstubAllEnvs());

describe("address of a server that is stored", () => {
  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://127.0.0.1:8080",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://10.0.0.7/x",
    "https://172.16.1.1",
    "https://192.168.1.1",
    "https://100.64.0.1",
    "https://0.0.0.0",
    "http://[::1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://localhost:3000",
    "http://api.localhost./",
  ])("is refused when requests must not reach it: %s", (url) => {
    vi.stubEnv("TOOL_PRIVATE_RANGES", "");
    expect(() => requireAllowedAddress(url, "url")).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ path: "url", code: "address_not_allowed" })] }),
    );
  });

  it.each([
    "https://93.184.216.34/",
    "https://[2606:2800:220:1::1]/",
    "https://tools.example.com",
    "http://10-0-0-7.example",
  ])("is accepted when it can be public: %s", (url) => {
    requireAllowedAddress(url, "url");
  });

  it("is accepted in the ranges of the deployment", () => {
    vi.stubEnv("TOOL_PRIVATE_RANGES", "10.20.0.0/16,127.0.0.0/8");
    for (const url of ["http://10.20.0.7", "http://127.0.0.1:9", "http://localhost:9"])
      requireAllowedAddress(url, "url");
    expect(() => requireAllowedAddress("http://10.21.0.1", "url")).toThrow();
  });
});
