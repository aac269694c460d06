import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DynamoDB, waitUntilTableExists } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocument } from "@aws-sdk/lib-dynamodb";
import dynalite from "dynalite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dynamoStore } from "../../../examples/webhooks-stores/dynamodb.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";

/** DynamoDB's HTTP interface and its expressions, in this process and in memory. */
const server = dynalite({ createTableMs: 0 });
const TableName = "claims";
let client: DynamoDB;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  client = new DynamoDB({
    endpoint: `http://127.0.0.1:${port}`,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  await client.createTable({
    TableName,
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 30 }, { TableName });
});

afterAll(async () => {
  client.destroy();
  server.close();
  await once(server, "close");
});

describe("examples/webhooks-stores/dynamodb.ts, by the AWS SDK on a local server", () => {
  for (const { name, run } of storeSuite(() => dynamoStore(DynamoDBDocument.from(client), TableName))) it(name, run);

  it("rejects if the table does not exist, so that the delivery is acknowledged FAILED", async () => {
    const store = dynamoStore(DynamoDBDocument.from(client), "missing");
    await expect(store.claim("key", { effect: "SUCCESS", lease: 60_000 })).rejects.toThrow(/resource not found/i);
  });
});
