// Which functions a search finds. Functions are tested, not nodes: there are few of them.

// Upper-case letters make a search tell case apart; those of an escape, as \S, do not.
function hasUpperCase(text) {
  return /\p{Lu}/u.test(text.replace(/\\./g, ''));
}

function makeTest(text, regex) {
  const exact = hasUpperCase(text);
  if (regex) {
    const pattern = new RegExp(text, exact ? '' : 'i');
    return (name) => pattern.test(name);
  }
  return exact ? (name) => name.includes(text) : (name) => name.toLowerCase().includes(text);
}

// Tests the name of each function, and "file:name". Gives { matched, count, error }: matched has a 1 for each function
// found and is null where nothing is looked for.
export function findFunctions(data, text, regex) {
  if (text === '') {
    return { matched: null, count: 0, error: null };
  }
  const { strings, functions } = data;
  const matched = new Uint8Array(functions.count);
  let test;
  try {
    test = makeTest(text, regex);
  } catch (error) {
    return { matched, count: 0, error: error.message };
  }
  let count = 0;
  for (let i = 0; i < functions.count; i++) {
    const name = strings[functions.name[i]];
    if (test(name) || test(`${strings[functions.file[i]]}:${name}`)) {
      matched[i] = 1;
      count++;
    }
  }
  return { matched, count, error: null };
}
