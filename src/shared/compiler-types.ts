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
