import { describe, expect, it } from "vitest";
import { similarName } from "../../src/shared/unknown-names.ts";
import { takers } from "../support/option-takers.ts";

/** The names that a taker knows, as its refusal of another lists them. */
async function knownNames(taker: string): Promise<readonly string[]> {
  const { call, base = {} } = takers[taker] ?? expect.unreachable(taker);
  try {
    await call({ ...base, somethingElse: true } as never);
  } catch (error) {
    return /Known: (.+)\.$/.exec(String(error))?.[1]?.split(", ") ?? expect.unreachable(String(error));
  }
  return expect.unreachable(`${taker} accepts any name`);
}

describe("a misspelt option suggests the one that was probably meant", () => {
  it.each([
    ["serviceapi ServiceApi", "BaseURL", "baseUrl"],
    ["serviceapi ServiceApi", "base_url", "baseUrl"],
    ["serviceapi ServiceApi", "baseURI", "baseUrl"],
    ["serviceapi ServiceApi", "urlBase", "baseUrl"],
    ["serviceapi ServiceApi", "client_id", "clientId"],
    ["serviceapi ServiceApi", "clientID", "clientId"],
    ["serviceapi ServiceApi", "client-secret", "clientSecret"],
    ["serviceapi ServiceApi", "secret", "clientSecret"],
    ["serviceapi ServiceApi", "max_retry", "maxRetries"],
    ["serviceapi ServiceApi", "header", "headers"],
    ["serviceapi ServiceApi", "timeoutTotal", "totalTimeout"],
    ["serviceapi ServiceApi", "webhook", "webhooks"],
    ["serviceapi ServiceApi", "timeouts", "timeout"],
    ["serviceapi/flights checkout", "sessionLifeTime", "sessionLifetime"],
    ["serviceapi/flights checkout", "limit", "limits"],
    ["trip.book", "passenger", "passengers"],
    ["trip.book", "client_referenceId", "clientReferenceId"],
    ["trip.book", "client_reference_id", "clientReferenceId"],
    ["trip.book", "totalMax", "maxTotal"],
    ["trip.book", "acceptIssue", "acceptIssues"],
    ["trip.book", "issuesToAccept", "acceptIssues"],
    ["serviceapi/flights fees", "passenger", "passengers"],
    ["serviceapi/flights fees", "timeZone", "zone"],
    ["serviceapi/webhooks hmac", "secret", "secrets"],
    ["serviceapi/webhooks hmac", "timestamp_header", "timestampHeader"],
    ["serviceapi/webhooks hmac", "headerTimestamp", "timestampHeader"],
    ["serviceapi/webhooks Webhooks", "findOrders", "findOrder"],
    ["serviceapi/webhooks Webhooks", "orderFind", "findOrder"],
    ["serviceapi/webhooks Webhooks", "timeoutAck", "ackTimeout"],
    ["serviceapi/webhooks Webhooks", "max_body_byte", "maxBodyBytes"],
    ["webhooks.handler", "success", "SUCCESS"],
    ["webhooks.handler", "onConflicts", "onConflict"],
    ["webhooks.handler", "onFailures", "onFailure"],
    ["serviceapi/callback-url checkCallbackUrl", "brand_domain", "brandDomain"],
    ["serviceapi/callback-url checkCallbackUrl", "brandDomains", "brandDomain"],
    ["serviceapi/stores postgresStore", "tableName", "table"],
    ["serviceapi/stores redisStore", "keyPrefix", "prefix"],
    ["serviceapi/node fileJournal", "Create", "create"],
  ])("%s: %s is %s", async (taker, misspelt, meant) => {
    expect(similarName(misspelt, await knownNames(taker))).toBe(meant);
  });

  it("a word of two known names suggests neither", async () => {
    expect(similarName("domain", await knownNames("serviceapi/callback-url checkCallbackUrl"))).toBeUndefined();
  });

  it.each(["xyz", "foo", "somethingElse", "a", "", "options"])("%j suggests nothing", async (name) => {
    for (const taker of Object.keys(takers)) {
      expect(similarName(name, await knownNames(taker)), taker).toBeUndefined();
    }
  });
});
