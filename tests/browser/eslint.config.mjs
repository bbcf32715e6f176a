// What lint-viewer.sh asks of the viewer and of these tests. The rules that ESLint recommends come from where it is
// installed, which BINPROF_BROWSER_DIR names.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const js = createRequire(join(process.env.BINPROF_BROWSER_DIR, 'x.js'))('@eslint/js');

function globalsOf(names) {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'readonly']));
}

const both = 'TextDecoder URL URLSearchParams setTimeout clearTimeout atob';
const browser = `${both} window document navigator Blob ResizeObserver requestAnimationFrame`;
const node = `${both} Buffer process console`;
// Functions of the browser test that run in the page.
const page = 'performance KeyboardEvent PointerEvent Event DOMParser OffscreenCanvas getComputedStyle fetch';

const rules = {
  complexity: ['error', 10],
  curly: 'error',
  eqeqeq: 'error',
  'max-depth': ['error', 4],
  'no-eval': 'error',
  'no-implied-eval': 'error',
  'no-new-func': 'error',
  'no-undef': 'error',
  'no-unused-vars': 'error',
  'no-var': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error',
  'prefer-template': 'error',
};

// Text of captures never becomes markup.
const noMarkup = [
  'error',
  ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'srcdoc'].map((property) => ({
    property,
    message: 'Text of captures becomes text nodes only.',
  })),
  { object: 'document', property: 'write', message: 'Text of captures becomes text nodes only.' },
];

export default [
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: 'error' }, rules },
  {
    files: ['collectors/flamegraph/viewer/*.js'],
    languageOptions: { globals: globalsOf(browser) },
    rules: { 'no-restricted-properties': noMarkup, 'no-console': 'error' },
  },
  { files: ['tests/browser/*.mjs'], languageOptions: { globals: globalsOf(`${browser} ${node} ${page}`) } },
];
