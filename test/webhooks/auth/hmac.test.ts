import { createHmac } from "node:crypto";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { equalText } from "../../../src/webhooks/auth/mac.ts";
import {
  ConfigurationError,
  custom,
  hmac,
  memoryStore,
  sign,
  standardWebhooks,
  type WebhookAuthError,
  WebhookProcessingError,
  type WebhookStore,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import { pollute } from "../../support/pollute.ts";
import { refusalOf } from "../../support/refusal.ts";
import { throws } from "../../support/throws.ts";
import { eventOf, faultyOf, reasonOf, receiver as receiverOf, take } from "../support.ts";

// Every digest here was made with openssl: `openssl dgst -sha256 -hmac "$SECRET" -hex body.json`, with the timestamp
// or the identifier before the body where the scheme has one.
const secret = "vector secret ₹";
const body = '{"status":"DUPLICATE","client_referenceId":"demo-po-1","note":"₹ नमस्ते"}';
const bodyBytes = new TextEncoder().encode(body);
const signedAt = 1_700_000_000_000;
const vectors = {
  hex: "f5880945e544d9f6236b603f01a737d9cbe4f4f7f31f9a08056fcdbdb47b58af",
  base64: "9YgJReVE2fYja2A/Aac32cvk9PfzH5oIBW/NvbR7WK8=",
  base64url: "9YgJReVE2fYja2A_Aac32cvk9PfzH5oIBW_NvbR7WK8",
  timestamp: "5b0f9e1e1e5e643ee6c912911669efacc1111821d54915791f8064018a1961fc",
  standard: "wJuMj90Usqm7Br7Wf5HH7wit80RWGQW6Z/1pu+uChHk=",
  custom: "29db204d275d116e570b56897279b566685336f81026e726a199ed58b0c02a9c",
};
const standardSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const standardHeaders = {
  "webhook-id": "msg_1",
  "webhook-timestamp": "1700000000",
  "webhook-signature": `v1,${vectors.standard}`,
};

type HmacOptions = Parameters<typeof hmac>[0];
type Headers = Readonly<Record<string, string>>;

const receiver = (check: HmacOptions | ReturnType<typeof hmac>, now = signedAt) =>
  new Webhooks({ auth: ["check" in check ? check : hmac(check)], store: memoryStore(), now: () => now });
/** A receiver of signatures in `x-signature`. */
const signed = (options: Partial<HmacOptions> = {}) =>
  receiver({ header: "x-signature", secrets: [secret], ...options });
const timed = (timestampFormat: HmacOptions["timestampFormat"] & {}) =>
  hmac({ header: "x-s", signed: "timestamp.body", timestampHeader: "x-t", timestampFormat, secrets: [secret] });
const standard = () => standardWebhooks({ secrets: [standardSecret] });
/** The message with which a delivery is refused. */
const messageOf = (webhooks: Webhooks, headers: Headers) =>
  webhooks.verify({ headers, body }).then(
    () => "accepted",
    (error: WebhookAuthError) => error.message,
  );
/** The outcome of a delivery that has this check. */
const outcomeOf = (check: HmacOptions | ReturnType<typeof hmac>, headers: Headers, now = signedAt) =>
  reasonOf(receiver(check, now).verify({ headers, body }));

/** Both ways of making a digest must agree: node:crypto, and WebCrypto where a runtime has nothing else. */
describe.each(["node:crypto", "WebCrypto"])("hmac with %s", (engine) => {
  const withEngine = <T>(make: () => T): T => {
    if (engine === "WebCrypto") vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    try {
      return make();
    } finally {
      vi.restoreAllMocks();
    }
  };
  const { hex, base64 } = vectors;
  const unpadded = base64.replace("=", "");
  const own = ({ nonce, body: bytes }: { nonce: string; body: Uint8Array }) =>
    `${nonce}|${new TextDecoder().decode(bytes)}`;

  it.each<[string, Partial<HmacOptions>, Headers]>([
    ["openssl's signature in hex", { header: "X-Signature", encoding: "hex" }, { "x-signature": hex }],
    ["openssl's signature in base64", { header: "X-Signature", encoding: "base64" }, { "x-signature": base64 }],
    ["openssl's in base64url", { header: "X-Signature", encoding: "base64url" }, { "x-signature": vectors.base64url }],
    ["a prefix, and upper-case hex", { prefix: "sha256=" }, { "X-Signature": `sha256=${hex.toUpperCase()}` }],
    ["base64 without its padding", { encoding: "base64" }, { "x-signature": unpadded }],
    [
      "a signature over timestamp.body",
      { signed: "timestamp.body", timestampHeader: "x-time" },
      { "x-signature": vectors.timestamp, "x-time": "1700000000" },
    ],
    [
      "a signature over a custom string",
      { signed: own, nonceHeader: "x-nonce" },
      { "x-signature": vectors.custom, "x-nonce": "n-1" },
    ],
    ["either secret during a rotation", { secrets: ["the new one", secret] }, { "x-signature": hex }],
  ])("accepts %s", async (_case, options, headers) => {
    const webhooks = withEngine(() => signed(options));
    await expect(webhooks.verify({ headers, body })).resolves.toMatchObject({ status: "DUPLICATE" });
  });

  it.each<[string, Partial<HmacOptions>, string]>([
    ["a signature that differs in one bit", {}, hex.replace(/f$/, "e")],
    ["neither secret after a rotation", { secrets: ["the new one", "the newest"] }, hex],
    ["a right signature with a character behind it", { encoding: "base64" }, `${unpadded}A`],
    ["a right signature with four characters behind it", { encoding: "base64" }, `${unpadded}AAAA`],
    ["more signatures than a rotation needs", {}, [...Array<string>(10).fill("00"), hex].join(",")],
  ])("refuses %s", async (_case, options, signature) => {
    const webhooks = withEngine(() => signed(options));
    expect(await reasonOf(webhooks.verify({ headers: { "x-signature": signature }, body }))).toBe("signatureMismatch");
  });

  it("refuses a body that differs in one byte", async () => {
    const webhooks = withEngine(() => signed());
    const headers = { "x-signature": hex };
    expect(await reasonOf(webhooks.verify({ headers, body: body.replace("po-1", "po-2") }))).toBe("signatureMismatch");
    expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("accepted");
  });

  it("accepts Standard Webhooks, one signature among several", async () => {
    const webhooks = withEngine(() => receiver(standard()));
    await webhooks.verify({ headers: standardHeaders, body });
    const several = { ...standardHeaders, "webhook-signature": `v1a,xyz v1,${"A".repeat(43)}= v1,${vectors.standard}` };
    await webhooks.verify({ headers: several, body });
  });

  it("makes what it accepts, in every scheme", async () => {
    const schemes = withEngine(() => [
      hmac({ header: "x-signature", secrets: [secret] }),
      hmac({ header: "x-signature", encoding: "base64url", prefix: "v1=", secrets: [secret, "old"] }),
      timed("milliseconds"),
      hmac({ header: "x-s", signed: ({ nonce }) => `only ${nonce}`, nonceHeader: "x-n", secrets: [secret] }),
      standard(),
    ]);
    for (const scheme of schemes) {
      const delivery = await sign(JSON.parse(body), scheme, { now: signedAt });
      await expect(receiver(scheme).verify(delivery)).resolves.toMatchObject({ client_referenceId: "demo-po-1" });
    }
  });

  it("returns no promise if node:crypto decides", () => {
    const check = withEngine(() => hmac({ header: "x-signature", secrets: [secret] }));
    const header = (name: string) => (name === "x-signature" ? vectors.hex : undefined);
    const outcome = check.check({ header, body: bodyBytes, remoteAddress: undefined, now: signedAt });
    expect(outcome instanceof Promise).toBe(engine === "WebCrypto");
  });

  it("writes base64url as node:crypto does", async () => {
    const check = withEngine(() => hmac({ header: "x-s", encoding: "base64url", secrets: [secret] }));
    for (let i = 0; i < 20; i += 1) {
      const { headers } = await sign(`{"i":${i}}`, check);
      expect(headers["x-s"]).toBe(createHmac("sha256", secret).update(`{"i":${i}}`).digest("base64url"));
    }
  });

  it("keeps a secret that was passed as bytes, which the caller may overwrite", async () => {
    const bytes = new TextEncoder().encode(secret);
    const webhooks = withEngine(() => signed({ secrets: [bytes] }));
    bytes.fill(0);
    expect(await reasonOf(webhooks.verify({ headers: { "x-signature": vectors.hex }, body }))).toBe("accepted");
  });
});

describe("the comparison of digests", () => {
  it("reads both to their ends, wherever they differ", () => {
    const digest = vectors.hex;
    const wrong = [`0${digest.slice(1)}`, `${digest.slice(0, -1)}0`, digest.replaceAll(/./g, "_")];
    const read = vi.spyOn(String.prototype, "charCodeAt");
    for (const [candidate, isEqual] of [[digest, true] as const, ...wrong.map((one) => [one, false] as const)]) {
      read.mockClear();
      expect(equalText(digest, candidate)).toBe(isEqual);
      expect(read.mock.contexts.filter((text) => `${text}` === digest || `${text}` === candidate)).toHaveLength(
        2 * digest.length,
      );
    }
  });
});

describe("several signatures in one header", () => {
  const outcome = (prefix: string, given: string) =>
    reasonOf(signed({ prefix }).verify({ headers: { "x-signature": given }, body }));
  const { hex } = vectors;

  it.each([
    ["", `00,${hex}`, "accepted"],
    ["", `00 ${hex}`, "accepted"],
    ["", `00${" , ".repeat(20)}${hex}`, "accepted"],
    ["sha256=", `sha256=00 sha256=${hex}`, "accepted"],
    ["sha256=", `sha256=00,sha256=${hex}`, "accepted"],
    ["sha256=", `sha512=${hex}`, "signatureMismatch"],
    ["sha256=", hex, "signatureMismatch"],
    ["v1,", `v1,00${" ".repeat(20)}v1,${hex}`, "accepted"],
    ["v1 ", `v1 00,v1 ${hex}`, "accepted"],
    ["v1 ", `v1 00 , v1 ${hex}`, "accepted"],
    ["v1 ", `v1 00 v1 ${hex}`, "signatureMismatch"],
  ])("with the prefix %j: %s, %s", async (prefix, given, expected) => {
    expect(await outcome(prefix, given)).toBe(expected);
  });

  it.each([
    [4_096, "accepted"],
    [4_097, "signatureMismatch"],
  ])("is read up to 4,096 characters: %i", async (length, expected) => {
    expect(await outcome("", `00${",".repeat(length - 2 - hex.length)}${hex}`)).toBe(expected);
  });
});

describe("bodies in every form", () => {
  const webhooks = signed();
  const headers = { "X-Signature": vectors.hex };
  const bodies = {
    text: () => body,
    Uint8Array: () => bodyBytes,
    Buffer: () => Buffer.from(body),
    "a part of a larger Buffer": () => Buffer.from(`xx${body}yy`).subarray(2, -2),
    ArrayBuffer: () => bodyBytes.slice().buffer,
    "a web stream": () => new Blob([bodyBytes.slice(0, 9), bodyBytes.slice(9)]).stream(),
    "an async iterable": async function* () {
      yield bodyBytes.slice(0, 70);
      yield bodyBytes.slice(70);
    },
  };
  it.each(Object.entries(bodies))("takes %s", async (_, make) => {
    const source = make();
    const read = typeof source === "function" ? (source as () => AsyncIterable<Uint8Array>)() : source;
    expect(await reasonOf(webhooks.verify({ headers, body: read }))).toBe("accepted");
  });

  it("takes a Request", async () => {
    const request = new Request("http://localhost/", { method: "POST", headers, body });
    await expect(webhooks.verify(request)).resolves.toMatchObject({ status: "DUPLICATE" });
  });

  it("says nothing is there when nothing is", async () => {
    for (const headers of [new Headers(), {}, { "x-signature": undefined }, { "x-signature": " " }, []]) {
      expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("signatureMissing");
    }
  });

  it("is not misled by names that every object inherits", async () => {
    expect(await outcomeOf({ header: "constructor", secrets: [secret] }, {})).toBe("signatureMissing");
  });

  it("refuses a Standard Webhooks signature without its version", async () => {
    const headers = { ...standardHeaders, "webhook-signature": vectors.standard };
    expect(await outcomeOf(standard(), headers)).toBe("signatureMismatch");
  });
});

describe("timestamps: 300 s both ways", () => {
  it.each([
    [300_000, "accepted"],
    [-300_000, "accepted"],
    [300_001, "timestampOutOfRange"],
    [-300_001, "timestampOutOfRange"],
  ])("with the clock %i ms ahead: %s", async (ahead, outcome) => {
    expect(await outcomeOf(standard(), standardHeaders, signedAt + ahead)).toBe(outcome);
  });

  it.each([
    ..."1700000000abc 1700000000.5 -1700000000 1.7e9 0x6553f100".split(" ").map((text) => [text, "timestampInvalid"]),
    ["Tue, 14 Nov 2023 22:13:20 GMT", "timestampInvalid"],
    ["", "timestampMissing"],
    // Changed after signing.
    ["1700000001", "signatureMismatch"],
  ])("refuses %j, which looser parsers accept or somebody has changed: %s", async (timestamp = "", reason) => {
    expect(await outcomeOf(standard(), { ...standardHeaders, "webhook-timestamp": timestamp })).toBe(reason);
  });

  it("says by how much a timestamp is off, and where it should be", async () => {
    const range = (side: string) => `The timestamp is 400 s ${side}; 300 s are allowed. Check this machine's clock.`;
    expect(await messageOf(receiver(standard(), signedAt + 400_000), standardHeaders)).toBe(range("old"));
    expect(await messageOf(receiver(standard(), signedAt - 400_000), standardHeaders)).toBe(range("ahead"));
    expect(await messageOf(receiver(timed("unix")), { "x-s": "00" })).toBe('The header "x-t" is missing.');
  });

  it("reads and writes milliseconds", async () => {
    const check = timed("milliseconds");
    const { headers } = await sign(body, check, { now: signedAt });
    expect(headers["x-t"]).toBe("1700000000000");
    expect(await outcomeOf(check, headers)).toBe("accepted");
    expect(await outcomeOf(check, headers, signedAt + 300_001)).toBe("timestampOutOfRange");
  });

  it("takes another tolerance", async () => {
    const check = standardWebhooks({ secrets: [standardSecret], tolerance: 1_000 });
    expect(await outcomeOf(check, standardHeaders, signedAt + 1_001)).toBe("timestampOutOfRange");
  });
});

describe("what a signature covers", () => {
  it.each(["timestamp.nonce.body", "nonce.timestamp.body"] as const)("%s: neither can be changed", async (signed) => {
    const check = hmac({ header: "x-s", signed, timestampHeader: "x-t", nonceHeader: "x-n", secrets: [secret] });
    const { headers } = await sign(body, check, { now: signedAt, id: "n-1" });
    const before = signed === "timestamp.nonce.body" ? "1700000000.n-1." : "n-1.1700000000.";
    expect(headers["x-s"]).toBe(createHmac("sha256", secret).update(before).update(body).digest("hex"));
    expect(await outcomeOf(check, headers)).toBe("accepted");
    for (const changed of [{ "x-n": "n-2" }, { "x-t": "1700000001" }])
      expect(await outcomeOf(check, { ...headers, ...changed })).toBe("signatureMismatch");
  });

  it("takes bytes of another realm, such as Jest's, from the function given as `signed`", async () => {
    const signed = () => runInNewContext("Uint8Array.of(104, 105)") as Uint8Array;
    const check = hmac({ header: "x-s", signed, secrets: [secret] });
    const { headers } = await sign(body, check);
    expect(headers["x-s"]).toBe(createHmac("sha256", secret).update("hi").digest("hex"));
  });

  it("passes empty strings to the function given as `signed` for parts that are not configured", async () => {
    const seen: unknown[] = [];
    const signed = ({ timestamp, nonce }: { timestamp: string; nonce: string }) => {
      seen.push({ timestamp, nonce });
      return new TextEncoder().encode("bytes");
    };
    const check = hmac({ header: "x-s", signed, secrets: [secret] });
    const { headers } = await sign(body, check, { now: signedAt, id: "n-1" });
    expect(headers["x-s"]).toBe(createHmac("sha256", secret).update("bytes").digest("hex"));
    expect(await outcomeOf(check, headers)).toBe("accepted");
    const empty = { timestamp: "", nonce: "" };
    expect(seen).toEqual([empty, empty]);
  });

  it.each([
    [256, "accepted"],
    [257, "signatureMismatch"],
  ])("an id of %i characters: %s", async (length, expected) => {
    const check = standardWebhooks({ secrets: [standardSecret] });
    const { headers } = await sign(body, check, { now: signedAt, id: "i".repeat(length) });
    expect(await outcomeOf(check, headers)).toBe(expected);
  });

  it("refuses when the function given as `signed` throws, and reports one that returns nothing", async () => {
    const throwing = hmac({ header: "x-s", secrets: [secret], signed: throws(new Error("no")) });
    expect(await outcomeOf(throwing, { "x-s": "00" })).toBe("signatureMismatch");
    for (const wrong of [() => undefined, () => Promise.reject(new Error("not awaited"))]) {
      const forgetful = hmac({ header: "x-s", secrets: [secret], signed: wrong as never });
      await expect(receiver(forgetful).verify({ headers: { "x-s": "00" }, body })).rejects.toThrow(ConfigurationError);
    }
  });
});

describe("timestamps in other notations", () => {
  const formats = {
    iso: ["2023-11-14T22:13:20Z", "2023-11-14T22:13:20.000000Z", "2023-11-15T03:43:20+05:30"],
    "YYYY-MM-DD HH:mm:ss": ["2023-11-15 03:43:20"],
  } as const;
  const signedAs = (timestamp: string) => ({
    "x-t": timestamp,
    "x-s": createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex"),
  });
  const cases = Object.entries(formats).flatMap(([format, texts]) =>
    texts.map((text) => [format as keyof typeof formats, text] as const),
  );

  it.each(cases)("%s: %s, within the tolerance alone", async (format, text) => {
    const outcomeAt = (now: number) => outcomeOf(timed(format), signedAs(text), now);
    expect(await outcomeAt(signedAt + 300_000)).toBe("accepted");
    expect(await outcomeAt(signedAt + 300_001)).toBe("timestampOutOfRange");
    expect(await outcomeAt(signedAt - 300_001)).toBe("timestampOutOfRange");
  });

  it("writes a wall-clock time as Indian time", async () => {
    const { headers } = await sign(body, timed("YYYY-MM-DD HH:mm:ss"), { now: signedAt });
    expect(headers["x-t"]).toBe("2023-11-15 03:43:20");
  });

  it.each([
    ["iso", "2023-11-14T22:13:20"],
    ["iso", "2023-11-14 22:13:20Z"],
    ["iso", "1700000000"],
    ["iso", "2023-99-14T22:13:20Z"],
    ["iso", "+012023-11-14T22:13:20Z"],
    ["YYYY-MM-DD HH:mm:ss", "+012023-11-15 03:43:20"],
    ["YYYY-MM-DD HH:mm:ss", "2023-11-15 03:43:20.5"],
    ["YYYY-MM-DD HH:mm:ss", "2023-11-15T03:43:20"],
    ["YYYY-MM-DD HH:mm:ss", "2023-11-15 03:43:20Z"],
    ["YYYY-MM-DD HH:mm:ss", "2023-11-15 99:43:20"],
  ] as const)("%s refuses %s", async (format, text) => {
    expect(await reasonOf(receiver(timed(format)).verify({ headers: signedAs(text), body }))).toBe("timestampInvalid");
  });

  it("are not held against the sender while the clock returns no time", async () => {
    const webhooks = receiver(timed("iso"), Number.NaN);
    await expect(webhooks.verify({ headers: signedAs(formats.iso[0]), body })).rejects.toMatchObject({
      name: "ConfigurationError",
      message: "Webhooks: `now` must return a finite number of milliseconds since 1970.",
    });
  });
});

describe("the message of a signature that does not match says what is unusual about it", () => {
  it.each([
    ["quotes around it", `"sha256=${vectors.hex}"`, "sha256=", /is in quotes/],
    ["quotes behind the prefix", `sha256='${vectors.hex}'`, "sha256=", /is in quotes/],
    ["a prefix in capitals", `SHA256=${vectors.hex}`, "sha256=", /other capitals than `prefix`/],
    ["no prefix", vectors.hex, "sha256=", /does not begin with `prefix`/],
    ["another secret", `sha256=${"0".repeat(64)}`, "sha256=", /Check the secret, encoding and prefix/],
    ["a prefix that is not set", `sha256=${vectors.hex}`, "", /Check the secret, encoding and prefix/],
  ])("%s", async (_, given, prefix, advice) => {
    const message = await messageOf(signed({ prefix }), { "x-signature": given });
    expect(message).toMatch(advice);
    expect(message).not.toContain(vectors.hex);
  });
});

describe("secrets that are functions", () => {
  const headers = { "x-signature": vectors.hex };
  const checkOf = (secrets: NonNullable<HmacOptions["secrets"]>) => signed({ secrets });

  it("are called for each delivery, so that a rotation needs no restart", async () => {
    let current = "the old one";
    const webhooks = checkOf([() => current]);
    expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("signatureMismatch");
    current = secret;
    expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("accepted");
    expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("accepted");
    current = "the newest";
    expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("signatureMismatch");
  });

  it.each([
    ["one, asynchronously", async () => secret],
    ["several", () => ["another", secret]],
    ["bytes", () => new TextEncoder().encode(secret)],
  ])("return %s", async (_, provider) => {
    expect(await reasonOf(checkOf(provider).verify({ headers, body }))).toBe("accepted");
    expect(await reasonOf(checkOf(["fixed", provider]).verify({ headers, body }))).toBe("accepted");
  });

  it.each([
    ["undefined", () => undefined],
    ["an empty string", () => ""],
    ["a newline at the end", () => "hunter2\n"],
    ["no secret", () => []],
    ["no bytes", () => new Uint8Array(0)],
    ["an error", () => Promise.reject(new Error("the token is hunter2"))],
    ["a ConfigurationError", () => Promise.reject(new ConfigurationError("the token is hunter2"))],
  ])("refuse the delivery when they return %s, and say why without the secret", async (_, provider) => {
    const auth = [hmac({ header: "x-signature", secrets: [provider as never] })];
    const { statusOf, told } = receiverOf({}, { auth });
    expect(await statusOf(body, headers)).toBe("FAILED");
    expect(told).toMatchObject([{ error: { reason: "secretUnavailable", outcome: "rejected" } }]);
    expect(told[0]?.error).toBeInstanceOf(WebhookProcessingError);
    expect(inspect(told, { depth: 9 })).not.toContain("hunter2");
  });

  it.each(["throws", "returns nothing"])(
    "let a redelivery through, if the vault that %s is back by then",
    async (how) => {
      let isDown = true;
      const provider = () => {
        if (isDown && how === "throws") throw new Error("vault");
        return isDown ? (undefined as never) : secret;
      };
      const auth = [hmac({ header: "x-signature", secrets: provider })];
      const { statusOf, ran } = receiverOf({}, { auth });
      const { headers, body } = await sign(eventOf("SUCCESS"), hmac({ header: "x-signature", secrets: [secret] }));
      expect([await statusOf(body, headers), ran.length]).toEqual(["FAILED", 0]);
      isDown = false;
      expect([await statusOf(body, headers), ran.length]).toEqual(["SUCCESS", 1]);
    },
  );

  it("prepare a key once for a string that stays the same, and again for bytes, which may be overwritten", async () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const imported = vi.spyOn(crypto.subtle, "importKey");
    const webhooks = checkOf(() => secret);
    for (let i = 0; i < 3; i += 1) await webhooks.verify({ headers, body });
    expect(imported).toHaveBeenCalledTimes(1);
    const bytes = new TextEncoder().encode("the old one");
    const changing = checkOf(() => bytes as never);
    expect(await reasonOf(changing.verify({ headers, body }))).toBe("signatureMismatch");
    bytes.fill(7);
    const sevens = { "x-signature": createHmac("sha256", bytes).update(body).digest("hex") };
    expect(await reasonOf(changing.verify({ headers: sevens, body }))).toBe("accepted");
  });

  it("work for Standard Webhooks", async () => {
    const check = standardWebhooks({ secrets: () => standardSecret });
    expect(await outcomeOf(check, standardHeaders)).toBe("accepted");
    const short = receiver(standardWebhooks({ secrets: () => "whsec_AA==" }));
    await expect(short.verify({ headers: standardHeaders, body })).rejects.toThrow(/at least 14/);
  });
});

describe("without `secrets`, those of SERVICEAPI_WEBHOOK_SECRET", () => {
  const name = "SERVICEAPI_WEBHOOK_SECRET";
  const headers = { "x-signature": vectors.hex };
  const outcome = (webhooks: Webhooks) => reasonOf(webhooks.verify({ headers, body }));
  const receiverOfEnvironment = () => receiver({ header: "x-signature" });
  it.each([
    ["one", secret],
    ["several, on a line each", `the new one\n${secret}`],
    ["several, with the line ends of Windows", `the new one\r\n${secret}`],
    ["one, with the end of a line after it, as Kubernetes keeps that of a file", `${secret}\n`],
    ["several, with the end of a line of Windows after them", `the new one\r\n${secret}\r\n`],
  ])("are used: %s", async (_, value) => {
    vi.stubEnv(name, value);
    expect(await outcome(receiverOfEnvironment())).toBe("accepted");
  });

  it.each([["a, comma"], ["a space"], ["a;semicolon"]])("are not cut at %j, which a secret may hold", async (value) => {
    vi.stubEnv(name, value);
    const webhooks = receiverOfEnvironment();
    const sign = (key: string) => ({ "x-signature": createHmac("sha256", key).update(body).digest("hex") });
    expect(await reasonOf(webhooks.verify({ headers: sign(value), body }))).toBe("accepted");
    for (const part of value.split(/[,; ]+/)) {
      expect(await reasonOf(webhooks.verify({ headers: sign(part), body }))).toBe("signatureMismatch");
    }
  });

  it.each([
    ["", `line 1 of ${name} is missing or empty`],
    [" \n", `line 1 of ${name} is missing or empty`],
    ["one\n\n", `line 2 of ${name} is missing or empty`],
    ["\none", `line 1 of ${name} is missing or empty`],
    ["one\n\ntwo", `line 2 of ${name} is missing or empty`],
    ["one\n two", `line 2 of ${name} begins or ends with white space`],
    ["one\ntwo ", `line 2 of ${name} begins or ends with white space`],
    ["one\\ntwo", `a line of ${name} has a backslash and an n in place of its end`],
  ])("are refused at the start if they are %j", (value, complaint) => {
    vi.stubEnv(name, value);
    expect(refusalOf(receiverOfEnvironment)).toContain(`hmac: ${complaint}`);
  });

  it.each(["# the new one\nsecret", "secret\n# the old one", "#", "secret\r\n#\told"])(
    "are refused with a comment, which anybody could sign with: %j",
    async (value) => {
      vi.stubEnv(name, value);
      expect(receiverOfEnvironment).toThrow(`hmac: a line of ${name} begins with "# ", as a comment does`);
      vi.stubEnv(name, undefined);
      const webhooks = receiverOfEnvironment();
      vi.stubEnv(name, value);
      await expect(webhooks.verify({ headers, body })).rejects.toMatchObject({
        reason: "secretUnavailable",
        message: expect.stringContaining("as a comment does"),
      });
    },
  );

  it("may hold #, and so may a secret that is passed with a comment sign", async () => {
    for (const value of ["#secret", "a # b", "a# b"]) {
      vi.stubEnv(name, value);
      expect(receiverOfEnvironment).not.toThrow();
    }
    expect(() => receiver({ header: "x-signature", secrets: ["# secret"] })).not.toThrow();
  });

  it("may come later, as after a build; until then a delivery is not accepted, and is redelivered", async () => {
    vi.stubEnv(name, undefined);
    const webhooks = receiverOfEnvironment();
    await expect(webhooks.verify({ headers, body })).rejects.toMatchObject({
      reason: "secretUnavailable",
      message: `hmac: a secret is missing or empty. Pass it in \`secrets\`, or set ${name}.`,
    });
    vi.stubEnv(name, secret);
    expect(await outcome(webhooks)).toBe("accepted");
    vi.stubEnv(name, "another\n\n");
    await expect(webhooks.verify({ headers, body })).rejects.toMatchObject({ reason: "secretUnavailable" });
  });

  it("are missing on an edge without `process`, and in Deno without permission, and the message says so", async () => {
    vi.stubGlobal("process", undefined);
    await expect(receiverOfEnvironment().verify({ headers, body })).rejects.toThrow(`or set ${name}.`);
    const denied = throws(new Error("NotCapable"));
    vi.stubGlobal("process", { env: new Proxy({}, { get: denied }) });
    await expect(receiverOfEnvironment().verify({ headers, body })).rejects.toThrow(
      `or set ${name} and allow reading it (Deno: --allow-env=${name}).`,
    );
  });

  it("are those of Standard Webhooks, too", async () => {
    vi.stubEnv(name, standardSecret);
    expect(await reasonOf(receiver(standardWebhooks()).verify({ headers: standardHeaders, body }))).toBe("accepted");
    vi.stubEnv(name, "whsec_AA==");
    expect(() => standardWebhooks()).toThrow(/at least 14/);
  });
});

describe("nonces", () => {
  const check = hmac({ header: "x-s", signed: ({ nonce }) => nonce, nonceHeader: "x-n", secrets: [secret] });

  /** Accepts with two nonces; the store behind it is the test's. */
  const twoNonces = (store: WebhookStore) =>
    new Webhooks({ auth: [custom(() => ({ nonce: "n-1" })), custom(() => ({ nonce: "n-2" }))], store });

  it("are all free again if verify refuses one of them", async () => {
    const store = memoryStore();
    const held = await take(store, "nonce:n-2");
    expect(await reasonOf(twoNonces(store).verify({ headers: {}, body }))).toBe("inFlight");
    expect(await store.find("nonce:n-1")).toBeUndefined();
    await store.release(held);
    expect(await reasonOf(twoNonces(store).verify({ headers: {}, body }))).toBe("accepted");
    expect(await reasonOf(twoNonces(store).verify({ headers: {}, body }))).toBe("nonceReused");
  });

  it("are refused by verify if another delivery took one of them meanwhile", async () => {
    const store = memoryStore();
    const losing = faultyOf(store, {
      complete: async (claim) => claim.key === "nonce:n-1" && store.complete(claim),
    });
    expect(await reasonOf(twoNonces(losing).verify({ headers: {}, body }))).toBe("nonceReused");
  });

  it("are released by verify if the store does not record them", async () => {
    const store = memoryStore();
    const failing = faultyOf(store, { complete: () => Promise.reject(new Error("away")) });
    await expect(twoNonces(failing).verify({ headers: {}, body })).rejects.toThrow("away");
    expect(await reasonOf(twoNonces(store).verify({ headers: {}, body }))).toBe("accepted");
  });

  it("are accepted once by verify", async () => {
    const webhooks = receiver(check);
    const delivery = await sign(body, check);
    expect(await reasonOf(webhooks.verify(delivery))).toBe("accepted");
    expect(await reasonOf(webhooks.verify(delivery))).toBe("nonceReused");
  });

  it("must be there, and short", async () => {
    const { headers } = await sign(body, check);
    for (const nonce of ["", "n".repeat(257)]) {
      expect(await outcomeOf(check, { ...headers, "x-n": nonce })).toBe("nonceMissing");
    }
    const longest = await sign(body, check, { id: "n".repeat(256) });
    expect(await reasonOf(receiver(check).verify(longest))).toBe("accepted");
  });
});

describe("secrets and options are checked when the check is created", () => {
  it.each([[undefined], [null], ["s3cret"], [[]], [[""]], [["  "]], [[undefined]], [[new Uint8Array(0)]]])(
    "refuses the secrets %j",
    (secrets) => {
      const given = secrets as unknown as string[];
      const ofHmac = refusalOf(() => hmac({ header: "x", secrets: given }));
      expect(ofHmac).toMatch(/^hmac: .*(?:missing or empty|at least)/);
      const ofPreset = refusalOf(() => standardWebhooks({ secrets: given }));
      expect(ofPreset).toMatch(/^standardWebhooks: .*(?:missing or empty|at least|must be a string)/);
    },
  );

  it.each([
    [["one", undefined], "`secrets[1]` is missing or empty"],
    [["", "one"], "`secrets[0]` is missing or empty"],
    [["one", "two", "three "], "`secrets[2]` begins or ends with white space"],
  ])("names the one of several that cannot be a secret: %j", (secrets, complaint) => {
    expect(() => receiver({ header: "x-signature", secrets: secrets as string[] })).toThrow(`hmac: ${complaint}`);
  });

  it("explains the newline of a secret that was read from a file, without showing it", () => {
    expect(() => hmac({ header: "x", secrets: ["hunter2\n"] })).toThrow(/white space.*trim/);
    expect(() => hmac({ header: "x", secrets: ["hunter2\n"] })).not.toThrow(/hunter2/);
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ header: "" }, /`header`/],
    [{ header: "x signature" }, /`header` must be a valid header name/],
    [{ header: undefined }, /`header` is missing/],
    [{ signed: "timestamp.body" }, /`timestampHeader`/],
    [{ signed: "timestamp.nonce.body", timestampHeader: "t" }, /`nonceHeader`/],
    [{ signed: "body.timestamp" }, /`signed` must be/],
    [{ tolerence: 1 }, /^hmac: .*did you mean "tolerance"/],
    [{ timestampheader: "t" }, /did you mean "timestampHeader"/],
    [{ encoding: "hexx" }, /`encoding` must be "hex"/],
    [{ prefix: 7 }, /`prefix` must be a string/],
    [{ prefix: "a, b" }, /`prefix` must not contain both/],
    [{ signed: "timestamp.body", timestampHeader: "t", timestampFormat: "rfc" }, /`timestampFormat` must be/],
    [{ tolerance: 1 }, /no effect without `timestampHeader`/],
    ...[Number.NaN, "5m", -1, Number.POSITIVE_INFINITY, null].map((tolerance): [Record<string, unknown>, RegExp] => [
      { signed: "timestamp.body", timestampHeader: "t", tolerance },
      /`tolerance` must be a number/,
    ]),
  ])("refuses %j", (options, message) => {
    expect(refusalOf(() => hmac({ header: "x", secrets: ["s"], ...options } as never))).toMatch(message);
  });

  it.each([
    ["timestamp", "timestamp.body, timestamp.nonce.body, nonce.timestamp.body"],
    ["nonce", "timestamp.nonce.body, nonce.timestamp.body"],
  ])("refuses a %s that the signature does not cover", (name, presets) => {
    const uncovered = { header: "x", secrets: ["s"], [`${name}Header`]: "h" };
    expect(() => hmac(uncovered)).toThrow(`anyone could change it. Set \`signed\` to ${presets}, or a function.`);
    expect(() => hmac({ ...uncovered, signed: () => "trusted" })).not.toThrow();
  });

  it("takes no option from a polluted prototype", async () => {
    pollute({ secrets: ["polluted"] });
    const headers = { x: createHmac("sha256", "polluted").update(body).digest("hex") };
    expect(await reasonOf(receiver({ header: "x" }).verify({ headers, body }))).toBe("secretUnavailable");
  });

  it("refuses a Standard Webhooks secret that is too short to be one", () => {
    for (const secret of ["whsec_AA==", `whsec_${btoa("thirteen byte")}`]) {
      expect(() => standardWebhooks({ secrets: [secret] })).toThrow(/at least 14/);
    }
    expect(() => standardWebhooks({ secrets: [`whsec_${btoa("fourteen bytes")}`] })).not.toThrow();
    expect(() => standardWebhooks({ secrets: [standardSecret], tolerence: 1 } as never)).toThrow(
      /^standardWebhooks: .*did you mean/,
    );
    expect(() => standardWebhooks({ secrets: [standardSecret], tolerance: Number.NaN })).toThrow(/`tolerance`/);
  });

  it("refuses a Standard Webhooks secret that is not base64", () => {
    for (const odd of ["whsec_not base64!", `AAAA${standardSecret}`]) {
      expect(() => standardWebhooks({ secrets: [odd] })).toThrow(/not base64/);
    }
    expect(() => standardWebhooks({ secrets: ["whsec_"] })).toThrow(/empty/);
  });
});

describe("auth is a list of checks, all of which must pass", () => {
  const signature = () => hmac({ header: "x-signature", secrets: [secret] });
  const headers = { "x-signature": vectors.hex, "x-tenant": "blue" };
  const tenant = (name: string) => custom(async (delivery) => delivery.header("x-tenant") === name);

  it.each([
    [[signature(), tenant("blue")], "accepted"],
    [[tenant("blue"), signature()], "accepted"],
    [[signature(), tenant("red")], "refusedByCheck"],
    [[tenant("red"), signature()], "refusedByCheck"],
    [[tenant("blue"), hmac({ header: "x-signature", secrets: ["other"] })], "signatureMismatch"],
  ])("case %#", async (auth, outcome) => {
    expect(await reasonOf(new Webhooks({ auth }).verify({ headers, body }))).toBe(outcome);
  });

  it("refuses while auth is not set", async () => {
    expect(await reasonOf(new Webhooks().verify({ headers, body }))).toBe("notConfigured");
  });

  it('accepts anything with an explicit "none"', async () => {
    expect(await reasonOf(new Webhooks({ auth: "none" }).verify({ headers: {}, body }))).toBe("accepted");
    expect((await new Webhooks({ auth: "none" }).sign(body)).headers).toEqual({ "content-type": "application/json" });
  });
});

describe("no error shows a secret or a body", () => {
  it("in its string, its JSON or its inspection", async () => {
    const webhooks = receiver({ header: "x-signature", secrets: ["sesame-4711"] });
    const digest = createHmac("sha256", "sesame-4711").update(body).digest("hex");
    const error = await webhooks.verify({ headers: { "x-signature": `${digest}0` }, body }).catch((reason) => reason);
    for (const shown of [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: 9 }),
      inspect(webhooks, { depth: 9 }),
    ]) {
      expect(shown).not.toContain("4711");
      expect(shown).not.toContain(digest);
      expect(shown).not.toContain("demo-po-1");
    }
  });
});
