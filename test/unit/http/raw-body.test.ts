import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MAX_BODY_BYTES } from "#shared/api/limits.ts";
import { decodeBody } from "#shared/http/body/decode-body.ts";
import { parseFormData } from "#shared/http/body/form-data.ts";
import { formToJson } from "#shared/http/body/form-urlencoded.ts";
import { requireBody } from "#shared/http/steps.ts";

it("body of an HTTP request is accepted up to a size of 1 MiB", () => {
  for (const bytes of [1, MAX_BODY_BYTES - 1, MAX_BODY_BYTES]) requireBody(Buffer.alloc(bytes));
  expect(() => requireBody(Buffer.alloc(MAX_BODY_BYTES + 1))).toThrow(/1 MiB/);
});

describe("text of a request body", () => {
  const decode = (bytes: Uint8Array, contentType = "application/json", isLenient = false) =>
    decodeBody({ headers: { "content-type": contentType }, rawBody: Buffer.from(bytes) }, isLenient);
  const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16();

  it.each([
    ["UTF-8", Buffer.from("Grüße, Łódź, 你好, مرحبا"), undefined, "Grüße, Łódź, 你好, مرحبا"],
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffGrüße"), undefined, "Grüße"],
    ["UTF-8 that is named", Buffer.from("Grüße"), 'application/json; charset="UTF-8"', "Grüße"],
    ["Latin-1 that is named", Buffer.from("Grüße", "latin1"), "application/json; charset=iso-8859-1", "Grüße"],
    ["Windows-1252 that is named", Buffer.from([0x80, 0x20, 0x35]), "application/json;charset=windows-1252", "€ 5"],
    ["Windows-1250 that is named", Buffer.from([0xa3, 0xf3, 0x64, 0x9f]), "application/json; charset=cp1250", "Łódź"],
    ["Windows-1251 that is named", Buffer.from([0xcf, 0xf0, 0xe8]), "application/json; charset=windows-1251", "При"],
    ["Windows-1254 that is named", Buffer.from([0xde, 0xfd]), "application/json; charset=windows-1254", "Şı"],
    ["Shift_JIS that is named", Buffer.from([0x82, 0xa0]), "application/json; charset=shift_jis", "あ"],
    ["GB18030 that is named", Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), "application/json; charset=gb18030", "你好"],
    ["EUC-KR that is named", Buffer.from([0xc7, 0xd1]), "application/json; charset=euc-kr", "한"],
    ["UTF-16LE with a byte order mark", Buffer.from("\ufeffGrüße", "utf16le"), undefined, "Grüße"],
    ["UTF-16BE with a byte order mark", utf16be("Grüße"), undefined, "Grüße"],
  ])("is read when it is %s", (_, bytes, contentType, text) => {
    expect(decode(bytes, contentType)).toBe(text);
  });

  it.each([
    ["Latin-1", Buffer.from("Grüße", "latin1")],
    ["Windows-1250", Buffer.from([0xa3, 0xf3, 0x64, 0x9f])],
    ["Shift_JIS", Buffer.from([0x82, 0xa0, 0x82, 0xa2])],
    ["GB18030", Buffer.from([0xc4, 0xe3, 0xba, 0xc3])],
    ["a cut-off character", Buffer.from("Grüße").subarray(0, 3)],
    ["a surrogate", Buffer.from([0xed, 0xa0, 0x80])],
    ["an overlong form", Buffer.from([0xc0, 0xaf])],
  ])("is refused when it is %s without a charset", (_, bytes) => {
    expect(() => decode(bytes)).toThrow(/not UTF-8/);
  });

  it("of a signed request is read as Windows-1252 when it is not UTF-8", () => {
    expect(decode(Buffer.from("Grüße – 5", "latin1"), undefined, true)).toMatch(/^Grüße/);
    expect(decode(Buffer.from("Grüße 你"), undefined, true)).toBe("Grüße 你");
  });

  it.each(["klingon", "utf-7", "x-mac-unknown"])("is refused with an unknown charset: %s", (charset) => {
    expect(() => decode(Buffer.from("x"), `application/json; charset=${charset}`)).toThrow(charset);
  });

  it.each([
    ["gzip", gzipSync("{}")],
    ["br", Buffer.from([1, 2])],
    ["deflate, gzip", Buffer.from([1])],
  ])("is refused when it is compressed: %s", (encoding, bytes) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    expect(() => decodeBody({ headers, rawBody: bytes }, false)).toThrow(/Content-Encoding/);
  });

  it("that is not compressed may be named so", () => {
    const headers = { "content-encoding": "identity" };
    expect(decodeBody({ headers, rawBody: Buffer.from("{}") }, false)).toBe("{}");
  });
});

describe("form", () => {
  it("is refused when its percent-encoding is not UTF-8", () => {
    expect(formToJson("name=Gr%C3%BC%C3%9Fe&mark=%EF%BF%BD")).toBe('{"name":"Grüße","mark":"\ufffd"}');
    for (const form of ["name=Gr%FC%DFe", "gr%FC=1", "name=%82%A0"]) expect(() => formToJson(form)).toThrow(/UTF-8/);
  });

  it("with files is refused when a field is not UTF-8", async () => {
    const part = (text: string, encoding: "utf8" | "latin1") => {
      const lines = ["--b", 'Content-Disposition: form-data; name="title"', "", text, "--b--", ""];
      return Buffer.from(lines.join("\r\n"), encoding);
    };
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const parse = (body: Buffer) => parseFormData(headers, body, { maxFiles: 1, maxFileBytes: 9 });
    expect((await parse(part("Grüße \ufffd", "utf8"))).fields).toEqual({ title: "Grüße \ufffd" });
    await expect(parse(part("Grüße", "latin1"))).rejects.toMatchObject({
      errors: [{ path: "title", message: "is not encoded as UTF-8" }],
    });
  });
});
