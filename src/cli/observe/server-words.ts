import type { ServerNews } from '../../store/server-news.ts';
import { duration } from '../terminal/format.ts';

/** One line for a person at whose command work waits for the store's server. `patienceMs`: endless where the command never gives up. */
export function serverWords(news: ServerNews, patienceMs: number): string {
  if (news.kind === 'back') return `${news.shown} answers again, after ${duration(news.awayMs)}; the work goes on`;
  const limit = Number.isFinite(patienceMs) ? `, for at most ${duration(patienceMs)}` : '';
  return `${news.shown} does not answer (${news.why}); waiting for it${limit}`;
}
