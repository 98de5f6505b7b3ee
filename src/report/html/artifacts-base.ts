import { UserError } from '../../domain/errors.ts';

/**
 * An address below which a run's folder can be read, as links begin with it: percent-encoded, with a slash at its end. Throws a `UserError`
 * when it is not http or https.
 */
export function addressBase(artifactUrl: string): string {
  const url = URL.canParse(artifactUrl) ? new URL(artifactUrl) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UserError({
      code: 'E07',
      exitCode: 2,
      message: `Expected the artifact URL to start with https:// or http://, got ${JSON.stringify(artifactUrl)}`,
      next: ['--artifact-url https://example.org/runs/42'],
    });
  }
  // Links go on behind the path.
  url.search = '';
  url.hash = '';
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** A way from one folder to another, as links begin with it; empty when they are the same. `null` for a way that is not relative. */
export function pathBase(way: string): string | null {
  if (way === '') return '';
  const names = way.split(/[/\\]/);
  if (way.startsWith('/') || names[0]?.includes(':') === true) return null;
  return `${names.map(encodeURIComponent).join('/')}/`;
}
