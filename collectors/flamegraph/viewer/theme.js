// Light or dark: as the system says, or as chosen.

import { byId } from './dom.js';
import { themeColours } from './colours.js';

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' };
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');

export function applyTheme(choice) {
  const dark = choice === 'auto' ? systemDark.matches : choice === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  byId('theme').textContent = `Theme: ${choice}`;
  return themeColours(dark);
}

export function nextTheme(choice) {
  return NEXT[choice];
}

export function onSystemTheme(action) {
  systemDark.addEventListener('change', action);
}
