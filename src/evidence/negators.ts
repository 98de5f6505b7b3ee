/** English words that turn a statement into its opposite. Lower case. */
export const NEGATORS: ReadonlySet<string> = new Set([
  'not',
  'no',
  'never',
  'none',
  'nor',
  'neither',
  'without',
  'cannot',
  'nothing',
  'nobody',
  'nowhere',
  'hardly',
  'scarcely',
  'barely',
  'seldom',
  'rarely',
]);

/** The same in German, Dutch, French, Italian, Spanish, Portuguese, Russian and Arabic. */
const OTHER_NEGATORS: ReadonlySet<string> = new Set(
  (
    'nicht nichts nie niemals niemand nirgends nirgendwo keinesfalls keineswegs weder ohne kaum ' +
    'niet geen nooit zonder niets nergens evenmin ' +
    'ne pas aucun aucune aucuns aucunes jamais sans rien nul nulle gu\u00e8re ' +
    'non nessun nessuno nessuna mai senza niente nulla ' +
    'nunca jam\u00e1s sin ning\u00fan ninguno ninguna nadie nada tampoco ni ' +
    'n\u00e3o nem nenhum nenhuma ningu\u00e9m sem jamais ' +
    '\u043d\u0435 \u043d\u0435\u0442 \u043d\u0438 \u043d\u0435\u043b\u044c\u0437\u044f \u043d\u0438\u043a\u043e\u0433\u0434\u0430 \u043d\u0438\u043a\u0442\u043e \u043d\u0438\u0447\u0435\u0433\u043e \u0431\u0435\u0437 ' +
    '\u0644\u0627 \u0644\u0645 \u0644\u0646 \u0644\u064a\u0633 \u0644\u064a\u0633\u062a \u063a\u064a\u0631 \u0628\u062f\u0648\u0646 \u0628\u0644\u0627 \u0648\u0644\u0627 \u062f\u0648\u0646'
  ).split(' '),
);
/** "kein", "keine", "keinerlei"; "n'est"; "\u043d\u0438\u043a\u0430\u043a\u043e\u0439". */
const OTHER_FORMS = /^(?:kein\p{Ll}{0,5}|n['\u2019](?!t$)\p{L}{2,}|\u043d\u0438\u043a\u0430\u043a\p{Ll}{1,4})$/u;

/** Whether the word negates in another language than English. Not in capitals: NE, PAS and SEM are names. */
export function isOtherNegator(word: string): boolean {
  if (/^\p{Lu}{2}/u.test(word)) return false;
  const lower = word.toLowerCase();
  return OTHER_NEGATORS.has(lower) || OTHER_FORMS.test(lower);
}

/** Negation in Chinese, Japanese and Korean, which is no word between spaces; not in "very", "wireless", "future" and the like. */
const UNSPACED_NEGATION = new RegExp(
  [
    '(?<!\u5dee)\u4e0d(?!\u540c|\u65ad|\u65b7|\u4ec5|\u50c5|\u8bba|\u8ad6|\u7ba1)',
    '[\u6ca1\u6c92\u52ff]',
    '[\u65e0\u7121](?!\u7ebf|\u7dda|\u8bba|\u8ad6|\u6599)',
    '\u975e(?!\u5e38)',
    '\u672a(?!\u6765|\u4f86)',
    '(?<![\u5c11\u5371])\u306a(?:\u3044|\u304f|\u304b\u3063|\u3051\u308c|\u3055\u305d)',
    '\u307e\u305b\u3093',
    '(?<![\u307e\u5fc5\u306f\u3044\u308f])\u305a(?![\u3064\u308c])',
    '\u306c(?!\\p{Script=Hiragana})',
    '\uc54a|\ubabb|\uc5c6|\uc544\ub2c8|\uc544\ub2cc|(?<![\\p{L}])\uc548(?=\\s)',
  ].join('|'),
  'u',
);

/** Where a text in Chinese, Japanese or Korean negates; `null` when it does not. */
export function unspacedNegation(text: string): { readonly index: number; readonly length: number } | null {
  const found = UNSPACED_NEGATION.exec(text);
  return found === null ? null : { index: found.index, length: found[0].length };
}
