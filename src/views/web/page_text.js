// SPDX-License-Identifier: Apache-2.0
// Computes with numbers, and formats numbers and names. All numbers are exact:
// a number above 2^53 - 1 is a BigInt, even if it is the result of a sum.

const MAX_EXACT = Number.MAX_SAFE_INTEGER;

// Returns the value of a decimal string as a number, or as a BigInt if a number
// would not be exact.
function parseDecimal(text) {
  const big = BigInt(text);
  return big <= MAX_EXACT ? Number(big) : big;
}

function shrink(big) {
  return big <= MAX_EXACT && big >= -MAX_EXACT ? Number(big) : big;
}

function add(a, b) {
  if (typeof a === 'number' && typeof b === 'number' && a + b <= MAX_EXACT) return a + b;
  return shrink(BigInt(a) + BigInt(b));
}

function subtract(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return shrink(BigInt(a) - BigInt(b));
}

// Formats an integer: 12,345,678.
function formatInteger(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

// Formats a size, rounded: 200.2 MiB.
function formatShort(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let value = Number(bytes);
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  if (unit === 0) return `${formatInteger(Math.round(value))} B`;
  return `${value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

// Formats a size, both exactly and rounded: 12,345,678 bytes (11.8 MiB).
function formatBytes(bytes) {
  const exact = `${formatInteger(bytes)} ${String(bytes) === '1' ? 'byte' : 'bytes'}`;
  return Number(bytes) < 1024 ? exact : `${exact} (${formatShort(bytes)})`;
}

// Formats the ratio of two exact numbers as a rounded percentage: 9.9 %.
function formatShare(part, whole) {
  if (Number(whole) === 0) return '0.0 %';
  const tenths = (BigInt(part) * 2000n + BigInt(whole)) / (2n * BigInt(whole));
  return `${tenths / 10n}.${tenths % 10n} %`;
}

// Formats a number with its noun: "1 task", "2 tasks".
function count(number, noun) {
  return `${formatInteger(number)} ${noun}${String(number) === '1' ? '' : 's'}`;
}

// Parses a size such as "4096", "4KiB" or "1.5MiB", and returns the number of
// bytes. Returns NaN for any other text.
function parseBytes(text) {
  const match = /^(\d+(?:\.\d+)?)\s*(B|[KMGTPE]iB)?$/i.exec(text.trim());
  if (!match) return NaN;
  const unit = (match[2] || 'B').toUpperCase();
  return Number(match[1]) * 2 ** (10 * 'BKMGTPE'.indexOf(unit[0]));
}

// Control characters, direction marks and zero-width characters. They are
// escaped, so a name cannot look like a different name or reorder the text
// around it.
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e0fff}]/gu;

function visible(text) {
  return text.replace(
    INVISIBLE, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, '0')}`);
}

const strictDecoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});
const looseDecoder = new TextDecoder('utf-8', {ignoreBOM: true});

// Returns bytes as text. A byte that is not UTF-8 becomes an escape like \xff.
function decodeBytes(bytes) {
  try {
    return strictDecoder.decode(bytes);
  } catch (error) {
    return decodeBroken(bytes);
  }
}

function decodeBroken(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length;) {
    let length = 1;
    if (bytes[i] >= 0xf0) length = 4;
    else if (bytes[i] >= 0xe0) length = 3;
    else if (bytes[i] >= 0xc0) length = 2;
    const character = looseDecoder.decode(bytes.subarray(i, i + length));
    if (character.includes('\ufffd')) {
      parts.push(`\\x${bytes[i].toString(16).padStart(2, '0')}`);
      ++i;
    } else {
      parts.push(character);
      i += length;
    }
  }
  return parts.join('');
}

// Returns the text, cut in the middle to at most `limit` characters.
function cut(text, limit) {
  if (text.length <= limit) return text;
  const half = (limit - 1) >> 1;
  return `${text.slice(0, half)}…${text.slice(text.length - half)}`;
}

// Returns a new element. Each child is an element or a text.
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function byId(id) {
  return document.getElementById(id);
}
