/** What a server may make of a key that it sends back. Each entry is named by its form. */
export function spellingsOf(key: string): { readonly [form: string]: string } {
  return {
    plain: key,
    upper: key.toUpperCase(),
    lower: key.toLowerCase(),
    json: JSON.stringify(key).slice(1, -1),
    jsonTwice: JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1),
    jsonAscii: [...key].map((char) => `\\u${code(char).toString(16).padStart(4, '0')}`).join(''),
    jsonSlashes: key.replaceAll('/', '\\/'),
    url: encodeURIComponent(key),
    urlForm: new URLSearchParams({ key }).toString().slice('key='.length),
    urlWhole: [...key].map((char) => `%${code(char).toString(16).padStart(2, '0').toUpperCase()}`).join(''),
    urlTwice: encodeURIComponent(encodeURIComponent(key)),
    html: htmlOf(key),
    htmlTwice: htmlOf(htmlOf(key)),
    htmlDecimal: [...key].map((char) => `&#${code(char)};`).join(''),
    htmlHex: [...key].map((char) => `&#x${code(char).toString(16)};`).join(''),
    base64: Buffer.from(key).toString('base64'),
    base64Url: Buffer.from(key).toString('base64url'),
    base64Bearer: Buffer.from(`Bearer ${key}`).toString('base64'),
    base64Basic: Buffer.from(`user:${key}:`).toString('base64'),
  };
}

/**
 * What must not be found in any text once the key was taken out. Of base64 that is the part that the key alone decides: its
 * first and last characters are made of the neighbours, too.
 */
function traces(key: string): { readonly [form: string]: string } {
  const spelled = Object.entries(spellingsOf(key)).map(([form, text]) => [form, form.startsWith('base64') ? text.slice(3, -4) : text]);
  return Object.fromEntries(spelled);
}

/** The forms whose trace is in `text`, in whatever letter case; none when the key is out. */
export function leaks(text: string, key: string): string[] {
  const folded = text.toLowerCase();
  return Object.entries(traces(key)).flatMap(([form, trace]) => (trace !== '' && folded.includes(trace.toLowerCase()) ? [form] : []));
}

function htmlOf(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('/', '&#x2F;');
}

function code(char: string): number {
  return char.codePointAt(0) ?? 0;
}
