import { readFile } from 'node:fs/promises';
import { UserError } from '../../domain/errors.ts';
import type { PageAssets } from '../../report/html/page-assets.ts';
import { EXIT } from '../exit-codes.ts';

/** The built page that stands beside this program. Throws a `UserError` where the build was not complete. */
export async function pageAssets(): Promise<PageAssets> {
  // One after the other, so that the same build is always told by the same part.
  const script = await readAsset('page.js');
  return { script, style: await readAsset('page.css') };
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
