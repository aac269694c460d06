import { describe, expect, it } from "vitest";
import { isNetworkDenied, wasNeverSent } from "../../src/transport/errors/no-response.ts";
import { coded, fetchFailed } from "../support/failures.ts";

const connecting = { syscall: "connect" };
const wrongVersion = (reporter: string) =>
  coded("ERR_SSL_WRONG_VERSION_NUMBER", {
    message: `0A00010B:SSL routines:${reporter}:wrong version number:ssl/record.c:77:`,
  });
const loop = new Error("loop");
loop.cause = new Error("and back", { cause: loop });

describe("a request that certainly never left this machine", () => {
  it.each([
    "ECONNREFUSED",
    "ENOTFOUND",
    "ERR_PROXY_TUNNEL",
    "ERR_PROXY_AUTHENTICATION",
    "EAI_AGAIN",
    "UND_ERR_CONNECT_TIMEOUT",
    "UND_ERR_PRX_CONN",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ])("%s, on the error or on its cause", (code) => {
    expect(wasNeverSent(coded(code))).toBe(true);
    expect(wasNeverSent(fetchFailed(coded(code)))).toBe(true);
  });

  it.each([
    ..."ECONNRESET EPIPE ETIMEDOUT UND_ERR_SOCKET UND_ERR_HEADERS_TIMEOUT ConnectionClosed EMFILE EPROTO".split(" "),
    // OpenSSL finds them in any record, and Node refuses a renegotiation in the middle of a connection.
    ..."ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR ERR_TLS_RENEGOTIATION_DISABLED".split(" "),
  ])("%s may have been sent", (code) => {
    expect(wasNeverSent(fetchFailed(coded(code)))).toBe(false);
  });

  it.each<[string, unknown, boolean]>([
    [
      "Node, every address of a name refused",
      fetchFailed(
        Object.assign(new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH", connecting)]), {
          code: "ECONNREFUSED",
        }),
      ),
      true,
    ],
    [
      "Node, one address of two reset",
      fetchFailed(new AggregateError(["ECONNREFUSED", "ECONNRESET"].map((code) => coded(code)))),
      false,
    ],
    [
      "Node, every address of a name reset while it connected",
      fetchFailed(new AggregateError(["ECONNRESET", "ETIMEDOUT"].map((code) => coded(code, connecting)))),
      true,
    ],
    [
      "Node, a connection that ended before TLS was established",
      fetchFailed(
        coded("ECONNRESET", {
          message: "Client network socket disconnected before secure TLS connection was established",
        }),
      ),
      true,
    ],
    ["OpenSSL, a first record that is not TLS", fetchFailed(wrongVersion("tls_validate_record_header")), true],
    ["OpenSSL, a later record that is not TLS", fetchFailed(wrongVersion("tls_default_validate_record_header")), false],
    ["OpenSSL before 3.2, any record that is not TLS", fetchFailed(wrongVersion("ssl3_get_record")), false],
    ["a cause that leads back to where it began", loop, false],
    [
      "Node, a proxy that opens no tunnel",
      fetchFailed(
        new Error("Request was cancelled.", {
          cause: coded("UND_ERR_ABORTED", { message: "Proxy response (403) !== 200 when HTTP Tunneling" }),
        }),
      ),
      true,
    ],
    ["an aggregate of nothing", new AggregateError([]), false],
    ["Node, a port that fetch refuses", fetchFailed(new Error("bad port")), true],
    [
      "Deno, no connection",
      new TypeError("error sending request for url (http://x/): client error (Connect): tcp connect error: refused"),
      true,
    ],
    [
      "Deno, a connection that broke",
      new TypeError("error sending request for url (http://x/): client error (SendRequest)"),
      false,
    ],
    ["a message that only begins like one", new Error("bad port number in a response"), false],
    ["a message that only ends like one", new Error("the service reports a bad port"), false],
    ["Deno, a port that fetch refuses", new TypeError("Fetch failed: Requests to port 22 are blocked"), true],
    ["workerd, which tells nothing", new Error("Network connection lost."), false],
    ["a message that merely mentions one", new Error("ECONNREFUSED"), false],
    ["no error at all", "ECONNREFUSED", false],
    ["a code that is no text", Object.assign(new Error("x"), { code: 111 }), false],
  ])("%s", (_case, error, never) => {
    expect(wasNeverSent(error)).toBe(never);
  });

  it.each(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "ECONNRESET", "EMFILE"])(
    "%s only if it was the connect that failed",
    (code) => {
      expect(wasNeverSent(fetchFailed(coded(code, connecting)))).toBe(true);
      expect(wasNeverSent(fetchFailed(coded(code, { syscall: "read" })))).toBe(false);
      expect(wasNeverSent(fetchFailed(coded(code)))).toBe(false);
    },
  );

  it("the outermost code decides: an earlier attempt does not prove that this one was not sent", () => {
    expect(wasNeverSent(fetchFailed(coded("ECONNRESET", { cause: coded("ECONNREFUSED") })))).toBe(false);
    expect(wasNeverSent(fetchFailed(coded("ECONNREFUSED", { cause: coded("ECONNRESET") })))).toBe(true);
  });
});

describe("a runtime that denies network access says so before anything is sent", () => {
  const named = (name: string, message: string) => Object.assign(new Error(message), { name });

  it.each<[string, unknown, boolean]>([
    ["Node 26 --permission", fetchFailed(coded("ERR_ACCESS_DENIED", { syscall: "getaddrinfo" })), true],
    ["Node, with the permission that it lacks", coded("ERR_ACCESS_DENIED", { permission: "Net" }), true],
    ["an error whose name begins alike", named("NotCapableOfMore", "Requires net access"), false],
    ["an error whose name ends alike", named("IsNotCapable", "Requires net access"), false],
    ["Node, a file of the application", coded("ERR_ACCESS_DENIED", { permission: "FileSystemRead" }), false],
    ["Deno 2", named("NotCapable", 'Requires net access to "api.example.com:443"'), true],
    ["Deno 1", named("PermissionDenied", 'Requires net access to "api.example.com:443"'), true],
    ["Deno, a file of the application", named("NotCapable", 'Requires read access to "./log"'), false],
    ["a message that merely mentions it", new Error("Requires net access"), false],
  ])("%s: %s", (_case, error, denied) => {
    expect(isNetworkDenied(error)).toBe(denied);
  });
});
