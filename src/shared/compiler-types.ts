/**
 * A type that a call does not infer from this place: its literals stay what the other places say. TypeScript 5.4 has it
 * built in as `NoInfer`.
 */
export type Uninferred<T> = [T][T extends unknown ? 0 : never];

/**
 * The type that `await using` disposes of, if the compiler knows `Symbol.asyncDispose`. Without
 * `lib: ["ESNext.Disposable"]` or `@types/node` it does not, and `[Symbol.asyncDispose]` or `AsyncDisposable` in a
 * declaration would be an error there.
 */
export type AsyncDisposableIfKnown = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [Name in Key]: () => Promise<void> }
  : object;

/** The type that `using` disposes of, if the compiler knows `Symbol.dispose`: see {@link AsyncDisposableIfKnown}. */
export type DisposableIfKnown = SymbolConstructor extends { readonly dispose: infer Key extends symbol }
  ? { readonly [Name in Key]: () => void }
  : object;
