import { button } from './dom.ts';

const NEXT: { readonly [theme: string]: string } = { auto: 'dark', dark: 'light', light: 'auto' };
const WORDS: { readonly [theme: string]: string } = { auto: '◐ auto', dark: '● dark', light: '○ light' };

/** Goes from what the system wishes to dark to light. */
export function themeToggle(): HTMLButtonElement {
  let theme = 'auto';
  const toggle = button({ title: 'Colours: as the system has them, dark, light' }, WORDS[theme] ?? theme);
  toggle.addEventListener('click', () => {
    theme = NEXT[theme] ?? 'auto';
    toggle.textContent = WORDS[theme] ?? theme;
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  });
  return toggle;
}
