/** The state of the project before a release. */
export interface ReleaseState {
  readonly manifest: { readonly version: string; readonly repository?: unknown };
  readonly changelog: string;
  /** Files of .changeset that no version contains yet. */
  readonly changesets: readonly string[];
  /** Lines of `git status --porcelain`. */
  readonly uncommitted: readonly string[];
}

/** Returns what keeps the project from being published, each with what to do. */
export function problemsOf({ manifest, changelog, changesets, uncommitted }: ReleaseState): string[] {
  const { version, repository } = manifest;
  const [, newest, released] = /^## (\S+)\n\n(Released \d{4}-\d\d-\d\d\.)?/m.exec(changelog) ?? [];
  return [
    uncommitted.length > 0 && `there are ${uncommitted.length} uncommitted changes. Commit or remove them.`,
    changesets.length > 0 && `${changesets.join(", ")} are not part of a version. Run \`npm run version\`.`,
    newest !== version && `CHANGELOG.md has no entry for ${version} at its top. Run \`npm run version\`.`,
    newest === version && !released && `the entry for ${version} has no date. Run \`npm run version\`.`,
    repository === undefined && "package.json names no repository. Run `npm run release:fields -- <its URL>`.",
  ].filter((problem) => typeof problem === "string");
}
