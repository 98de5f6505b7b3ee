import { access } from 'node:fs/promises';
import type { Json } from '../domain/canonical-json.ts';
import type { OutputKind, ResolvedManifest } from '../domain/manifest/resolved.ts';
import { prettyJson } from './json-text.ts';
import { placeIn } from './place-in.ts';
import type { StoredText } from './request-file.ts';
import { writeFileAtomic } from './write-file.ts';

/** Names, in the run's folder, of the files that a manifest's `outputs` ask for. */
export const OUTPUT_FILES: { readonly [Kind in OutputKind]: string } = {
  junit: 'junit.xml',
  csv: 'results.csv',
  sarif: 'aieval.sarif',
  html: 'report.html',
  badge: 'badge.json',
};

/** `manifest.resolved.json`: what the run really used. Holds names of environment variables, never their values. */
export function manifestResolvedJson(manifest: ResolvedManifest | Json): string {
  return prettyJson(manifest);
}

/** Path of a document's text, relative to the run's folder. */
function textFile(textSha256: string): string {
  return `texts/${textSha256}.txt`;
}

/** Keeps a document's text once per content: a file that is there already has the same bytes. */
export async function writeText(runDir: string, { sha256, text }: StoredText): Promise<void> {
  const path = placeIn(runDir, textFile(sha256));
  if (await exists(path)) return;
  await writeFileAtomic(path, text);
}

/** Any other obstacle than absence is met again, and explained, by the write. */
async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
