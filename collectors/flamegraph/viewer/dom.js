// Making elements. Text goes in as text nodes only, whatever it holds.

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made && typeof value !== 'string') {
      made[name] = value;
    } else if (name === 'className' || name === 'textContent') {
      made[name] = value;
    } else {
      made.setAttribute(name, value);
    }
  }
  made.append(...children);
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

export function option(value, text) {
  const made = element('option', { textContent: text });
  made.value = value;
  return made;
}

// A button with a text; `name` is what it is called where the text alone would not tell.
export function button(text, action, name = '') {
  const made = element('button', { type: 'button', textContent: text });
  if (name !== '') {
    made.setAttribute('aria-label', name);
  }
  made.addEventListener('click', action);
  return made;
}

// Calls `action` once things have been quiet for a moment.
export function debounced(action, milliseconds) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
