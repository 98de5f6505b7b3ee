import type { WriteHtml } from '../../engine/projections.ts';

/** Writes report.html beside a run's other files; what it takes loads when a manifest asks for it. */
export const writeHtml: WriteHtml = async (projection, onWarning) =>
  await (await import('./report.ts')).writeHtmlOutput(projection, onWarning);
