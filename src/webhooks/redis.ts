export { type IoRedisLike, type NodeRedisLike, type RedisStoreOptions, redisStore } from "./stores/redis.ts";
