import { readFile } from 'node:fs/promises';
import { UserError } from '../../domain/errors.ts';
import type { PageAssets } from '../../report/html/page-assets.ts';
import { EXIT } from '../exit-codes.ts';

/** The built page that stands beside this program. Throws a `UserError` where the build was not complete. */
export async function pageAssets(): Promise<PageAssets> {
  const [script, style] = await Promise.all(['page.js', 'page.css'].map(readAsset));
  return { script: script ?? '', style: style ?? '' };
}

async function readAsset(name: string): Promise<string> {
  const path = new URL(`../../report/page/${name}`, import.meta.url);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UserError({
      code: 'E25',
      exitCode: EXIT.bug,
      message: `aieval is not built in full: ${name} of the report is missing`,
      next: ['npm run build'],
      cause,
    });
  }
}
