/** Address of a folder of a run; `null` where the base is neither a web address nor relative, so that a link never runs anything. */
export function artifactHref(base: string | null, path: string | null): string | null {
  if (base === null || path === null) return null;
  const isRefused = /^[a-z][a-z\d+.-]*:/i.test(base) ? !/^https?:\/\//i.test(base) : /^[\\/]{2}/.test(base);
  if (isRefused) return null;
  return `${base}${base === '' || base.endsWith('/') ? '' : '/'}${path.split('/').map(encodeURIComponent).join('/')}/`;
}
