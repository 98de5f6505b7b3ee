import { encodingOf } from './charset.ts';

/** How far into a file its own word on its charset counts (for HTML, the WHATWG prescan). */
const PRESCAN_BYTES = 1024;
const LATEX_PRESCAN_BYTES = 16_384;

const XML = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i;
const META = /<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i;
const INPUTENC = /\\usepackage\s*\[\s*([\w-]+)\s*\]\s*\{inputenc\}/;

/** Names of LaTeX's `inputenc` that are no labels of the Web. */
const LATEX_NAMES: ReadonlyMap<string, string> = new Map([
  ['ansinew', 'windows-1252'],
  ['latin9', 'iso-8859-15'],
  ['applemac', 'macintosh'],
]);

/** Encoding that the file itself declares: in its XML declaration, an HTML `<meta>`, or LaTeX's `inputenc`; `null` when it declares none that is known. */
export function declaredCharset(bytes: Uint8Array, isHtml: boolean): string | null {
  const start = Buffer.from(bytes.subarray(0, LATEX_PRESCAN_BYTES)).toString('latin1');
  const head = start.slice(0, PRESCAN_BYTES);
  const label = XML.exec(head)?.[1] ?? (isHtml ? META.exec(head)?.[1] : INPUTENC.exec(start)?.[1]);
  return label === undefined ? null : encodingOf(LATEX_NAMES.get(label) ?? label);
}
