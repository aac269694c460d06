// A store in DynamoDB, by `DynamoDBDocument` of @aws-sdk/lib-dynamodb. The table has the partition key `pk` (a string).
// A finished reference is kept indefinitely. Rows are kept after release too, so that the token goes on growing.
import type { ClaimResult, StoreEntry, WebhookStore } from "serviceapi/webhooks";

/** The used part of `DynamoDBDocument`. */
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

  async function find(pk: string): Promise<StoreEntry | undefined> {
    const { Item } = await client.get({ TableName, Key: { pk }, ConsistentRead: true });
    if (Item?.state !== "done" && Item?.state !== "claimed") return undefined;
    return { state: Item.state, effect: String(Item.effect), conflicts: conflictsOf(Item) };
  }

  return {
    async claim(pk, { effect, lease }): Promise<ClaimResult> {
      const now = Date.now();
      const before = await update(
        pk,
        "SET #state = :claimed, effect = :effect, leasedUntil = :until REMOVE conflicts ADD #token :one",
        "attribute_not_exists(pk) OR #state = :free OR (#state = :claimed AND leasedUntil <= :now)",
        {
          ":claimed": "claimed",
          ":free": "free",
          ":effect": effect,
          ":until": now + lease,
          ":now": now,
          ":one": 1,
        },
        { "#token": "token" },
      );
      if (before === undefined) {
        const entry = await find(pk);
        return entry?.state === "done"
          ? { kind: "done", effect: entry.effect, conflicts: entry.conflicts }
          : { kind: "inFlight" };
      }
      const token = String(Number(before.token ?? 0) + 1);
      return { kind: "claimed", claim: { key: pk, effect, token }, takenOver: before.state === "claimed" };
    },
    async complete({ key, effect, token }) {
      const values = { ":token": Number(token), ":done": "done", ":free": "free", ":effect": effect };
      const condition = "#token = :token AND #state <> :free";
      return (
        (await update(key, "SET #state = :done, effect = :effect", condition, values, { "#token": "token" })) !==
        undefined
      );
    },
    async release({ key, token }) {
      const values = { ":token": Number(token), ":claimed": "claimed", ":free": "free" };
      await update(key, "SET #state = :free", "#token = :token AND #state = :claimed", values, { "#token": "token" });
    },
    async recordConflict(key, effect) {
      const values = { ":conflict": new Set([effect]), ":done": "done" };
      await update(key, "ADD conflicts :conflict", "#state = :done", values);
    },
    find,
    async forget(key) {
      await update(key, "SET #state = :free", "attribute_exists(pk)", { ":free": "free" });
    },
  };
}

/** A string set, which DynamoDB leaves out while it is empty. */
function conflictsOf({ conflicts }: Record<string, unknown>): string[] {
  return conflicts instanceof Set ? [...conflicts].map(String) : [];
}
