import { UserError } from '../domain/errors.ts';
import { codeSpan } from './code-span.ts';
import type { JobRef } from './summary.ts';

const ID_SHOWN = 8;
const LONGEST_PATH = 100;
const PLAIN_PATH = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/;

/** Links into the folder of a run. */
export type Links = {
  /** Names a job, with a link to its folder when it has one. */
  job(job: Pick<JobRef, 'jobId' | 'artifacts'>): string;
  /** A file that stands directly in the run's folder. */
  file(name: string): string;
};

/**
 * Links relative to the run's folder, or below `artifactUrl`. Only that address, checked and percent-encoded, and paths of plain
 * letters ever become a link target. Throws a `UserError` when the address is not http or https.
 */
export function linksInto(artifactUrl: string | null): Links {
  const base = artifactUrl === null ? null : parsedBase(artifactUrl);
  const target = (path: string) => (base === null ? path : below(base, path));
  return {
    job({ jobId, artifacts }) {
      const name = codeSpan(jobId.slice(0, ID_SHOWN));
      return isLinkable(artifacts) ? `[${name}](${target(`${artifacts}/`)})` : name;
    },
    file: (name) => `[${codeSpan(name)}](${target(name)})`,
  };
}

/** Paths are ours; in a file that someone else wrote they may be anything. */
function isLinkable(path: string | null): path is string {
  return path !== null && path.length <= LONGEST_PATH && PLAIN_PATH.test(path);
}

function parsedBase(artifactUrl: string): URL {
  const url = URL.canParse(artifactUrl) ? new URL(artifactUrl) : null;
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new UserError({
    code: 'E07',
    exitCode: 2,
    message: `Expected the artifact URL to start with https:// or http://, got ${JSON.stringify(artifactUrl)}`,
    next: ['--artifact-url https://example.org/runs/42'],
  });
}

function below(base: URL, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  // What a URL may hold and Markdown would read: brackets end the target, `&…;` is an entity.
  return url.href
    .replace(/[^A-Za-z0-9\-._~:/?#@!$+,;=%&]/g, (character) => encodeURIComponent(character).replace(/[()'*]/g, hexEscape))
    .replaceAll('&', '&amp;');
}

function hexEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
