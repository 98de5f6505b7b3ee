import { createHash } from 'node:crypto';

/** The built page: what shows the data of a report. */
export type PageAssets = { readonly script: string; readonly style: string };

/** The policy of a report: it asks for nothing, and runs and paints nothing but its own script and style, which are known by their hashes. */
export function contentPolicy({ script, style }: PageAssets): string {
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(style)}'`,
    `script-src '${sourceHash(script)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return policy.join('; ');
}

/**
 * The assets in the very characters that a browser hashes when they stand in an HTML file: with its line ends, and with nothing that could
 * end their element. `</script` and `<!--` stand in strings, if at all, where a backslash more says the same.
 */
export function embeddable({ script, style }: PageAssets): PageAssets {
  const lines = (text: string): string =>
    text
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .replaceAll('\0', '\ufffd');
  return {
    script: lines(script)
      .replace(/<(?=\/script)/gi, '\\x3c')
      .replaceAll('<!--', '\\x3c!--'),
    style: lines(style).replace(/<(?=\/style)/gi, '\\3c '),
  };
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
