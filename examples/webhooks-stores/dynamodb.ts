// A store in DynamoDB, by `DynamoDBDocument` of @aws-sdk/lib-dynamodb. The table has the partition key `pk` (text) and,
// if you like, `expiresAt` as its time-to-live attribute. Rows are kept after release, so that the token goes on growing.
import type { ClaimResult, WebhookStore } from "serviceapi/webhooks";

/** What is used of `DynamoDBDocument`. */
export interface DynamoLike {
  update(input: UpdateInput): Promise<{ Attributes?: Record<string, unknown> | undefined }>;
  get(input: { TableName: string; Key: { pk: string }; ConsistentRead: true }): Promise<{
    Item?: Record<string, unknown> | undefined;
  }>;
}

export interface UpdateInput {
  TableName: string;
  Key: { pk: string };
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Record<string, unknown>;
  ReturnValues: "ALL_OLD";
}

const retention = 7 * 86_400_000;

/** Leases are counted by this machine's clock, since DynamoDB has none to offer: keep the machines' clocks in step. */
export function dynamoStore(client: DynamoLike, TableName: string): WebhookStore {
  /** One conditional write; undefined when the condition does not hold. */
  async function update(
    pk: string,
    UpdateExpression: string,
    ConditionExpression: string,
    values: Record<string, unknown>,
    names: Record<string, string> = {},
  ): Promise<Record<string, unknown> | undefined> {
    try {
      const { Attributes } = await client.update({
        TableName,
        Key: { pk },
        UpdateExpression,
        ConditionExpression,
        ExpressionAttributeNames: { "#state": "state", ...names },
        ExpressionAttributeValues: values,
        ReturnValues: "ALL_OLD",
      });
      return Attributes ?? {};
    } catch (error) {
      if (error instanceof Error && error.name === "ConditionalCheckFailedException") return undefined;
      throw error;
    }
  }

  async function look(pk: string, status: string): Promise<ClaimResult> {
    const { Item } = await client.get({ TableName, Key: { pk }, ConsistentRead: true });
    if (Item?.state !== "done") return { kind: "inFlight" };
    const done = { kind: "done", status: String(Item.status) } as const;
    if (done.status === status) return { ...done, firstConflict: false };
    const first = await update(
      pk,
      "SET #conflict = :true",
      "#state = :done AND attribute_not_exists(#conflict)",
      { ":true": true, ":done": "done" },
      { "#conflict": `conflict ${status}` },
    );
    return { ...done, firstConflict: first !== undefined };
  }

  return {
    async claim(pk, { status, leaseMs }) {
      const now = Date.now();
      const before = await update(
        pk,
        "SET #state = :claimed, #status = :status, leasedUntil = :until, expiresAt = :expires ADD #token :one",
        "attribute_not_exists(pk) OR #state = :free OR (#state = :claimed AND leasedUntil <= :now) OR expiresAt <= :seconds",
        {
          ":claimed": "claimed",
          ":free": "free",
          ":status": status,
          ":until": now + leaseMs,
          ":now": now,
          ":seconds": Math.floor(now / 1_000),
          ":expires": Math.ceil((now + Math.max(leaseMs, retention)) / 1_000),
          ":one": 1,
        },
        { "#status": "status", "#token": "token" },
      );
      if (before === undefined) return look(pk, status);
      const token = String(Number(before.token ?? 0) + 1);
      return { kind: "claimed", claim: { key: pk, status, token }, takenOver: before.state === "claimed" };
    },
    async complete({ key, token }) {
      const values = { ":token": Number(token), ":done": "done", ":free": "free" };
      const condition = "#token = :token AND #state <> :free";
      return (await update(key, "SET #state = :done", condition, values, { "#token": "token" })) !== undefined;
    },
    async release({ key, token }) {
      const values = { ":token": Number(token), ":claimed": "claimed", ":free": "free" };
      await update(key, "SET #state = :free", "#token = :token AND #state = :claimed", values, { "#token": "token" });
    },
    async forget(key) {
      await update(key, "SET #state = :free", "attribute_exists(pk)", { ":free": "free" });
    },
  };
}
