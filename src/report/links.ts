import { UserError } from '../domain/errors.ts';
import { codeSpan } from './code-span.ts';
import type { JobRef } from './summary.ts';

const ID_SHOWN = 8;
const LONGEST_PATH = 100;
const PLAIN_PATH = /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/;
/** The page of an artifact on GitHub is an archive: nothing is below it. */
const ARCHIVE = /\/actions\/runs\/\d+\/artifacts\/\d+\/?$/;

/** Links into the folder of a run. */
export type Links = {
  /** Names a job, with a link to its folder when it has one. */
  job(job: Pick<JobRef, 'jobId' | 'artifacts'>): string;
  /** The command that prints all that is known of a job, with the same link. */
  show(job: Pick<JobRef, 'jobId' | 'artifacts'>): string;
  /** A file that stands directly in the run's folder. */
  file(name: string): string;
};

/**
 * Links below `artifactUrl`, where that is an archive, to the archive; without one relative to the run's folder, or none: they are dead
 * in a comment. Only that address, checked and
 * percent-encoded, and paths of plain letters ever become a link target. Throws a `UserError` when the address is not https.
 */
export function linksInto(artifactUrl: string | null, withoutUrl: 'relative' | 'none' = 'relative'): Links {
  const hasLinks = artifactUrl !== null || withoutUrl === 'relative';
  const base = artifactUrl === null ? null : checkedUrl(artifactUrl, '--artifact-url');
  const target = (path: string) => (base === null ? path : below(base, path));
  const linked = (name: string, artifacts: string | null) =>
    hasLinks && isLinkable(artifacts) ? `[${name}](${target(`${artifacts}/`)})` : name;
  return {
    job: ({ jobId, artifacts }) => linked(codeSpan(jobId.slice(0, ID_SHOWN)), artifacts),
    show: ({ jobId, artifacts }) => linked(codeSpan(`aieval show ${jobId.slice(0, ID_SHOWN)}`), artifacts),
    file: (name) => (hasLinks ? `[${codeSpan(name)}](${target(name)})` : codeSpan(name)),
  };
}

/** A link to the report at `reportUrl`. Throws a `UserError` when the address is not https. */
export function reportLink(reportUrl: string): string {
  return `[full report](${linkTarget(checkedUrl(reportUrl, '--report-url'))})`;
}

/** Paths are ours; in a file that someone else wrote they may be anything. */
function isLinkable(path: string | null): path is string {
  return path !== null && path.length <= LONGEST_PATH && PLAIN_PATH.test(path);
}

function checkedUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:') return url;
  throw new UserError({
    code: 'E00',
    exitCode: 2,
    message: `${option}: Expected an address that starts with https://, got ${JSON.stringify(text)}`,
    next: ['aieval summary --help'],
  });
}

function below(base: URL, path: string): string {
  const url = new URL(base);
  if (!ARCHIVE.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  return linkTarget(url);
}

/** Without what a URL may hold and Markdown would read: brackets end the target, `&…;` is an entity. */
function linkTarget({ href }: URL): string {
  return href
    .replace(/[^A-Za-z0-9\-._~:/?#@!$+,;=%&]/g, (character) => encodeURIComponent(character).replace(/[()'*]/g, hexEscape))
    .replaceAll('&', '&amp;');
}

function hexEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
