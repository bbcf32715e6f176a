// What names look like on the page. A name comes from a capture and can be anything: this makes it one line of text in
// which everything can be seen.

import { NO_FILE } from './data.js';

// Controls, line separators, and what turns the direction of the text around it.
const INVISIBLE =
  // eslint-disable-next-line no-control-regex -- it is what is looked for
  /[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]/g;
const LABEL_MAX = 400;

function escapeCharacter(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function visible(text) {
  return text.replace(INVISIBLE, escapeCharacter);
}

// The first `length` units of a text, without half a character at the end.
export function cutText(text, length) {
  if (text.length <= length) {
    return text;
  }
  const end = Math.max(length - 1, 0);
  const last = text.charCodeAt(end - 1);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)}…`;
}

export function baseName(path) {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

// Names of a page's functions and entries (see tree.js), made when they are asked for.
export class Names {
  constructor(data) {
    this.data = data;
    this.labels = new Map();
  }

  isCode(func) {
    return this.rawFile(func) !== NO_FILE;
  }

  rawName(func) {
    return this.data.strings[this.data.functions.name[func]];
  }

  rawFile(func) {
    return this.data.strings[this.data.functions.file[func]];
  }

  name(func) {
    return visible(this.rawName(func)) || '(no name)';
  }

  file(func) {
    return this.isCode(func) ? visible(this.rawFile(func)) : '';
  }

  module(func) {
    return this.isCode(func) ? visible(this.data.strings[this.data.functions.module[func]]) : 'not code';
  }

  // What is written on a frame of the graph.
  label(entries, entry) {
    let label = this.labels.get(entries)?.[entry];
    if (label === undefined) {
      label = cutText(this.name(entries.func[entry]), LABEL_MAX) + this.position(entries, entry);
      if (!this.labels.has(entries)) {
        this.labels.set(entries, []);
      }
      this.labels.get(entries)[entry] = label;
    }
    return label;
  }

  // ":12" or ":12 detail", as far as the entries tell it.
  position(entries, entry) {
    const line = entries.line[entry];
    const detail = entries.detail[entry];
    return (line === 0 ? '' : `:${line}`) + (detail === 0 ? '' : ` ${visible(this.data.strings[detail - 1])}`);
  }

  // "file.py:12", whole path; '' for what is no code.
  place(entries, entry) {
    const func = entries.func[entry];
    return this.isCode(func) ? this.file(func) + this.position(entries, entry) : '';
  }

  // As in collapsed stacks; what the copy button gives.
  stackLine(entries, entry) {
    const func = entries.func[entry];
    const line = entries.line[entry];
    return this.isCode(func)
      ? `${visible(baseName(this.rawFile(func)))}:${this.name(func)}${line === 0 ? '' : `:${line}`}`
      : this.name(func);
  }
}
