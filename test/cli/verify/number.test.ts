import { describe, expect, it } from "vitest";
import { reply, startServer } from "../../support/server.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startEmulator } from "../support.ts";
import { consent, fast, startVerify, verify } from "./command.ts";

describe("serviceapi verify <number>", () => {
  it("prints a table, masked, and unmasked with --show-pii", async () => {
    const { url } = await startEmulator();
    const { code, output, errors } = await verify(["6000000001", ...consent], url);
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatchInlineSnapshot(`
      "UPI IDs of 60••••••01
        name        A••• E••••••
        VPA         60••••••01@examplebank
        all VPAs    60••••••01@examplebank
                    60••••••01@samplepay
                    as••••••••••-1@demoupi
        account     VALID
        partner ID  PT••••••••••••01
      "
    `);
    const shown = await verify(["+91 60000 00001", ...consent, "--show-pii"], url);
    expect(shown.output).toMatch(
      /^UPI IDs of 6000000001\n {2}name {8}ASHA EXAMPLE\n {2}VPA {9}6000000001@examplebank$/m,
    );
  });

  it("prints one JSON document with --json, masked as well", async () => {
    const { url } = await startEmulator();
    const { code, output } = await verify(["6000000001", ...consent, "--json"], url);
    expect(output).not.toMatch(/6000000001|ASHA/);
    expect([code, JSON.parse(output)]).toMatchObject([0, { name: "A••• E••••••", accountStatus: "VALID" }]);
    const { output: shown } = await verify(["6000000001", ...consent, "--json", "--show-pii"], url);
    expect(JSON.parse(shown)).toMatchObject({ name: "ASHA EXAMPLE", clientData: { mobile: "6000000001" } });
  });

  it("masks a request ID without letters, in the message and below it, and shows another", async () => {
    const { emulator, url } = await startEmulator();
    const refuse = (id: string) =>
      emulator.on("verification.findVpas", () =>
        Response.json({ status: "failed", statusCode: "400", message: "No" }, { headers: { "x-request-id": id } }),
      );
    refuse("98765-43210");
    for (const flags of [[], ["--json"]]) {
      const { output, errors } = await verify(["6000000001", ...consent, ...flags], url);
      expect(output + errors).not.toMatch(/98765-43210/);
      expect(output + errors).toMatch(/98•••••••10/);
    }
    expect((await verify(["6000000001", ...consent, "--show-pii"], url)).errors).toContain("request ID: 98765-43210");
    refuse("4bf92f3577b34da6");
    expect((await verify(["6000000001", ...consent], url)).errors).toContain("request ID: 4bf92f3577b34da6");
  });

  it("masks the words of a refusal with --json", async () => {
    const { emulator, url } = await startEmulator();
    const words = "No account of ASHA RAO 9876543210";
    emulator.on("verification.findVpas", () =>
      Response.json({ status: "failed", statusCode: "400", message: words }, { status: 400 }),
    );
    const { output, errors } = await verify(["6000000001", ...consent, "--json"], url);
    expect(JSON.parse(output)).toMatchObject({ error: { serviceMessage: "No account of ASHA RAO 98••••••10" } });
    expect(output + errors).not.toContain("9876543210");
    const { output: shown } = await verify(["6000000001", ...consent, "--json", "--show-pii"], url);
    expect(JSON.parse(shown)).toMatchObject({ error: { serviceMessage: words } });
  });

  it.each([[null], ["text"], [5], [["x", 7, {}]], [[[null]]], [{}], [{ a: { b: 1 } }]])(
    "prints a response whose fields are %j: no stack, nothing letter by letter",
    async (odd: unknown) => {
      const { emulator, url } = await startEmulator();
      const drifted = { name: odd, vpaList: odd, accountStatus: odd, partner_id: odd, clientData: { client_id: odd } };
      const body = { status: "success", statusCode: "101", vpa: "asha@demoupi", ...drifted };
      emulator.on("verification.findVpas", () => Response.json(body));
      const { code, output, errors } = await verify(["6000000001", ...consent, "--show-pii"], url);
      expect([code, output + errors]).toEqual([
        0,
        expect.not.stringMatching(/\[object|undefined|NaN|TypeError|\n +at /),
      ]);
      expect(output).toMatch(
        /^UPI IDs of .+\n {2}name {8}.+\n {2}VPA {9}asha@demoupi\n {2}all VPAs {4}.+(?:\n {14}.+)*\n {2}account/,
      );
    },
  );

  it("masks with --json what it does not know, numbers included", async () => {
    const { emulator, url } = await startEmulator();
    const drifted = {
      ...{ status: "success", statusCode: 6000000001, count: 1, vpa: "asha@demoupi", vpaList: ["asha@demoupi"] },
      ...{ name: ["ASHA", 6000000001], accountStatus: "Asha Example of Pune", message: "found 6000000001" },
      clientData: { client_id: "demo-client", mobile: 6000000001 },
      holder: { first_name: "Asha", pan: "ABCDE1234F", "6000000001": true, status: "Asha" },
    };
    emulator.on("verification.findVpas", () => Response.json(drifted));
    const { output } = await verify(["6000000001", ...consent, "--json"], url);
    expect(output).not.toMatch(/6000000001|asha|pune|ABCDE1234F/i);
    expect(JSON.parse(output)).toMatchObject({ status: "success", count: 1, holder: { first_name: "••••" } });
    const { output: shown } = await verify(["6000000001", ...consent, "--json", "--show-pii"], url);
    expect(JSON.parse(shown)).toMatchObject({ holder: { pan: "ABCDE1234F" }, clientData: { mobile: 6000000001 } });
  });

  it("prints a response that nests deeper than the stack, and leaves out what is too deep", async () => {
    const { emulator, url } = await startEmulator();
    const [brackets, closing] = ["[".repeat(20_000), "]".repeat(20_000)];
    const body = `{"status":"success","statusCode":200,"vpa":"a@b","vpaList":["a@b"],"name":${brackets}"x"${closing},"extra":${brackets}"x"${closing}}`;
    emulator.on("verification.findVpas", () => new Response(body, { headers: { "content-type": "application/json" } }));
    const shown = await Promise.all(
      [[], ["--json"], ["--show-pii"], ["--json", "--show-pii"]].map((flags) =>
        verify(["6000000001", ...consent, ...flags], url),
      ),
    );
    expect(shown.map(({ code, errors }) => [code, errors])).toEqual(
      shown.map(() => [0, "! The account has no name.\n"]),
    );
    for (const { output } of shown) expect(output).toContain("…");
    const file = temporaryFile("one.csv", "mobile\n6000000001\n");
    const { code, output } = await verify(["--file", file, ...fast, "--json", "--show-pii"], url);
    expect([code, output]).toEqual([0, expect.stringMatching(/"name":"\[+.*…/)]);
  });

  it("exits with code 6 for a number that the service is still looking up", async () => {
    const { emulator, url } = await startEmulator();
    emulator.on("verification.findVpas", "failed-pending");
    const { code, errors } = await verify(["6000000001", ...consent], url);
    expect([code, errors]).toEqual([
      6,
      expect.stringMatching(/\(in_progress, .*Look it up again later\. Request ID: \w+\.$/m),
    ]);
    // A look-up changes nothing: its outcome is nothing to act on.
    expect(errors).not.toContain("outcome");
  });

  it("says on standard error that it waits, why and how long; not under --json", async () => {
    const { emulator, url } = await startEmulator();
    const busy = (retryAfter: string) => () =>
      Response.json(
        { status: "failed", statusCode: "429", message: "Too many requests" },
        { status: 429, headers: { "retry-after": retryAfter } },
      );
    emulator.on("verification.findVpas", busy("2"), { times: 1 });
    const { code, errors } = await verify(["6000000001", ...consent], url);
    expect([code, errors]).toEqual([0, "The service received too many requests. Trying again in 2 s.\n"]);
    emulator.on("verification.findVpas", busy("0"), { times: 1 });
    expect(await verify(["6000000001", ...consent, "--json"], url)).toMatchObject({ code: 0, errors: "" });
  });

  it("prints that no UPI ID is linked as an error with --json", async () => {
    const { code, output } = await verify(["6000000404", ...consent, "--json"]);
    expect([code, JSON.parse(output)]).toMatchObject([4, { error: { name: "NotFoundError", kind: "not_found" } }]);
  });

  it("says of a 404 that is not the service's to check the URL", async () => {
    const { emulator, url } = await startEmulator();
    for (const response of [
      new Response("<html>Not Found</html>", { status: 404 }),
      Response.json({}, { status: 404 }),
    ]) {
      emulator.on("verification.findVpas", () => response.clone());
      const { errors } = await verify(["6000000001", ...consent], url);
      expect(errors).toMatch(
        /Nothing responds at this path: check the base URL \(--base-url, .*\) and --path-prefix\./,
      );
    }
  });

  it("says if the account is not usable for payments", async () => {
    const { output } = await verify(["6000000003", ...consent]);
    expect(output).toMatch(/^ {2}account {5}\w+ \(not usable for payments\)$/m);
  });

  it("names on standard error what to check in a result that contradicts itself", async () => {
    const { code, errors } = await verify(["6000000004", ...consent]);
    expect([code, errors.trim().split("\n")]).toEqual([
      0,
      [
        "! The VPA is not in the list of all VPAs.",
        "! The list has more or fewer VPAs than the service counts.",
        "! The account has no name.",
      ],
    ]);
  });

  it("quotes a message of the service on the line of the error, whatever it has in it", async () => {
    const message = "No\nerror: SUCCESS, paid\u2028\u2029to \u202e\u001b[2Jasha";
    const { url } = await startServer((response) => reply(response, 400, { status: "FAILED", message }));
    const { code, errors } = await verify(["6000000001", ...consent], url);
    expect(code).not.toBe(0);
    const [first, ...others] = errors.trimEnd().split("\n");
    expect(first).toMatch(/^error: verification\.findVpas: .*: No error: SUCCESS, paid to \[2Jasha\./);
    expect(others.join("\n")).not.toMatch(/error:|SUCCESS/);
  });

  it("removes what a terminal would obey from the response", async () => {
    const { emulator, url } = await startEmulator();
    emulator.on("verification.findVpas", {
      name: "\u001b]0;owned\u0007\u001b[2JASHA\u202e",
      accountStatus: "\u009b31m",
    });
    const { output } = await verify(["6000000001", ...consent, "--show-pii"], url);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(output).toContain("ASHA");
  });

  it.each([
    [["6000000404", ...consent], 4, /^No UPI ID is linked to 60••••••04\.\n$/],
    [["6000000404", ...consent, "--show-pii"], 4, /^No UPI ID is linked to 6000000404\.\n$/],
    [["12", ...consent], 2, /^error: verification\.findVpas: vpa_mobile must be .*ten digits/],
    [["6000000001"], 2, /Pass --consent Y if the account holders have agreed/],
    [["6000000001", "--consent", "N"], 2, /Allowed choices are Y/],
    [[...consent], 2, /Pass one mobile number, or a file/],
    [["6000000001", "--file", "people.csv", ...consent], 2, /Pass one mobile number, or a file/],
    [["people.csv", ...consent], 2, /pass --file people\.csv\.$/m],
    [["My People.CSV", ...consent], 2, /pass --file 'My People\.CSV'\.$/m],
    [["6000000001", ...consent, "--per-second", "9"], 2, /--per-second has no effect without --file/],
    [["6000000001", ...consent, "--out", "result.csv"], 2, /--out has no effect without --file/],
    [["--file", "people.csv", ...consent, "--overwrite"], 2, /--overwrite has no effect without --out/],
    [["--file", "people.csv", ...consent, "--per-second", "0"], 2, /at least 0\.01/],
    [["--file", "people.csv", ...consent, "--concurrency", "many"], 2, /at least 1/],
    [["--file", "/no/such/people-20261128.csv", ...consent], 2, /people-20261128\.csv does not exist/],
    [["--file", "/no/such/6000000001", ...consent], 2, /such\/60••••••01 does not exist/],
    [["6000000001", ...consent, "--timeout", "9999999999"], 2, /between 1 and 2147483647/],
    [
      ["--file", "-", ...consent],
      2,
      /results are saved beside the file, and standard input has no place.*Save it to a file/,
    ],
  ] as const)("%j exits with code %i", async (args, code, message) => {
    const { output, errors, ...ended } = await verify(args);
    expect([ended.code, output, errors]).toEqual([code, "", expect.stringMatching(message)]);
    expect(errors).not.toMatch(/\n\s+at /);
  });

  it.each([
    ["authentication", 3, "AuthenticationError"],
    ["unavailable", 6, "ServiceUnavailableError"],
  ] as const)("a service that responds %s exits with code %i, as JSON with --json", async (response, code, name) => {
    const { emulator, url } = await startEmulator();
    emulator.on("*", response);
    const ended = await verify(["6000000001", ...consent, "--json"], url);
    expect([ended.code, JSON.parse(ended.output)]).toMatchObject([code, { error: { name } }]);
  });

  it("goes on although nobody reads its notes", async () => {
    const { emulator, url } = await startEmulator();
    emulator.on("verification.findVpas", "unavailable", { times: 1 });
    const { child, ended } = startVerify(["6000000001", ...consent], url);
    child.stderr?.destroy();
    expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining("UPI IDs of 60••••••01") });
  });

  it("refuses --keep-formulas for JSON, which a spreadsheet does not run", async () => {
    const { code, output } = await verify(["--file", "people.csv", ...consent, "--json", "--keep-formulas"]);
    expect([code, output]).toEqual([2, expect.stringMatching(/--keep-formulas has no effect with --json/)]);
  });
});
