import type { ServerNews } from '../../store/server-news.ts';
import { duration } from '../terminal/format.ts';

/** One line for a person at whose command work waits for the store's server. */
export function serverWords(news: ServerNews): string {
  if (news.kind === 'back') return `${news.shown} can be used again, after ${duration(news.awayMs)}; the work goes on`;
  const limit = Number.isFinite(news.patienceMs) ? `, for at most ${duration(news.patienceMs)}` : '';
  return `${news.shown} ${news.what} (${news.why}); waiting for it${limit}`;
}
