/** Whether two types are the same; `any` is the same as itself alone. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Takes `true` only: `sure<Same<typeof total, number>>()`. */
export function sure<_Claim extends true>(): void {}

type IsAny<T> = 0 extends 1 & T ? true : false;
type Primitive = string | number | bigint | boolean | symbol | null | undefined;
/** Types of the platform, in which `any` is not ours. */
type Platform = Request | Response | Headers | AbortSignal | URL | Date | RegExp | ArrayBufferView | ArrayBuffer;
type Next<Depth extends 0[]> = [...Depth, 0];

/** The paths below `T`, down to five steps, at which there is `any`: `never` if there is none. */
export type AnyIn<T, Depth extends 0[] = []> = Depth["length"] extends 5
  ? never
  : IsAny<T> extends true
    ? "any"
    : T extends Primitive | Platform
      ? never
      : // Each of its members is optional, so that any object extends it.
        Same<T, RequestInit> extends true
        ? never
        : T extends abstract new (
              ...args: infer Parameters
            ) => infer Instance
          ? AnyIn<Parameters, Next<Depth>> | AnyIn<Instance, Next<Depth>>
          : T extends (...args: infer Parameters) => infer Returned
            ? AnyIn<Parameters, Next<Depth>> | AnyIn<Returned, Next<Depth>>
            : T extends PromiseLike<infer Value>
              ? AnyIn<Value, Depth>
              : // Its own methods have `any` in the types of the DOM.
                T extends AsyncIterable<infer Item> | ReadableStream<infer Item>
                ? AnyIn<Item, Depth>
                : T extends readonly (infer Item)[]
                  ? AnyIn<Item, Depth>
                  : { [Key in keyof T]-?: Labelled<Key, AnyIn<T[Key], Next<Depth>>> }[keyof T];

type Labelled<Key, Found> = [Found] extends [never] ? never : [Key, Found];

sure<Same<AnyIn<{ wire: () => Promise<{ body: ReturnType<typeof JSON.parse> }> }>, ["wire", ["body", "any"]]>>();
