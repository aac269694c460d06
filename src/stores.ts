/** The entry point `serviceapi/stores`: stores of deliveries and journals of bookings that processes share. */
export { type PostgresJournal, postgresJournal } from "./flights/journal/postgres.ts";
export type { PostgresLike, PostgresPool, PostgresQuery } from "./shared/postgres.ts";
export { type PostgresStore, postgresStore } from "./webhooks/stores/postgres.ts";
export { type IoRedisLike, type NodeRedisLike, redisStore } from "./webhooks/stores/redis.ts";
