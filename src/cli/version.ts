import { readFileSync } from 'node:fs';

/** Version in package.json, which stands two folders above this file in `src` and in `dist` alike. */
export function packageVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const hasVersion = typeof content === 'object' && content !== null && 'version' in content;
  if (!hasVersion || typeof content.version !== 'string') throw new Error('package.json has no version');
  return content.version;
}
