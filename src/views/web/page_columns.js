// SPDX-License-Identifier: Apache-2.0
// Decodes the blocks of a page to typed arrays. This is the inverse of
// src/views/columns.h.

// Returns the bytes of the block with this id. Removes the element of the block
// to free the memory of its text.
async function readBlock(id) {
  const node = byId(id);
  const text = node.textContent;
  node.remove();
  const packed = new Blob([decodeBase64(text)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// A column of numbers. `values` is used to draw pictures, and its numbers are
// exact up to 2^53. If larger numbers occur, `big` has the exact values of all
// numbers; otherwise it is null.
class Column {
  constructor(values, big) {
    this.values = values;
    this.big = big;
  }

  // Returns the exact value, as a number or a BigInt.
  at(i) {
    return this.big === null ? this.values[i] : shrink(this.big[i]);
  }
}

// Reads a column. `header` is its description in the header of the page.
async function readColumn(id, header) {
  const bytes = await readBlock(id);
  const most = BigInt(header.max);
  if (most > BigInt(MAX_EXACT)) return decodeBig(bytes, header);
  const Type = most < 2 ** 32 ? Uint32Array : Float64Array;
  const values = new Type(header.count);
  if (header.delta) decodeDeltas(bytes, values);
  else decodePlain(bytes, values);
  return new Column(values, null);
}

function decodePlain(bytes, values) {
  let at = 0;
  for (let i = 0; i < values.length; ++i) {
    let byte = bytes[at++];
    let value = byte & 0x7f;
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      byte = bytes[at++];
      value += (byte & 0x7f) * scale;
    }
    values[i] = value;
  }
}

// Decodes differences. The lowest bit of an encoded difference is its sign. The
// remaining bits can be represented exactly as a number.
function decodeDeltas(bytes, values) {
  let at = 0;
  let value = 0;
  for (let i = 0; i < values.length; ++i) {
    let byte = bytes[at++];
    const isNegative = (byte & 1) !== 0;
    let magnitude = (byte & 0x7f) >> 1;
    for (let scale = 64; byte >= 0x80; scale *= 128) {
      byte = bytes[at++];
      magnitude += (byte & 0x7f) * scale;
    }
    value += isNegative ? -magnitude - 1 : magnitude;
    values[i] = value;
  }
}

function decodeBig(bytes, header) {
  const big = new BigUint64Array(header.count);
  let at = 0;
  let value = 0n;
  for (let i = 0; i < big.length; ++i) {
    let code = 0n;
    let shift = 0n;
    let byte;
    do {
      byte = bytes[at++];
      code |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
    } while (byte >= 0x80);
    if (header.delta) value = BigInt.asUintN(64, value + ((code >> 1n) ^ -(code & 1n)));
    else value = code;
    big[i] = value;
  }
  return new Column(Float64Array.from(big, Number), big);
}

// A column of texts. A text is decoded only when it is needed, because a
// million strings would need more memory than the page.
class Texts {
  constructor(bytes, lengths, index) {
    this.bytes = bytes;
    this.index = index;
    this.ends = new Float64Array(lengths.length);
    let end = 0;
    for (let i = 0; i < lengths.length; ++i) this.ends[i] = end += lengths[i];
    this.length = index === null ? lengths.length : index.length;
  }

  // Returns the number of the text at position i. If the column has an index,
  // equal texts share a number.
  number(i) {
    return this.index === null ? i : this.index[i];
  }

  // Returns the text at position i. Invisible characters are escaped. If the
  // text has more than `limit` bytes, returns only its beginning and its end.
  at(i, limit = Infinity) {
    if (i >= this.length) return '';
    const number = this.number(i);
    const begin = number === 0 ? 0 : this.ends[number - 1];
    const bytes = this.bytes.subarray(begin, this.ends[number]);
    if (bytes.length <= limit) return visible(decodeBytes(bytes));
    const half = limit >> 1;
    const start = visible(decodeBytes(bytes.subarray(0, half)));
    return `${start}…${visible(decodeBytes(bytes.subarray(bytes.length - half)))}`;
  }
}

async function readTexts(id, header) {
  const lengths = await readColumn(`${id}.length`, header.length);
  const index = header.index ? await readColumn(`${id}.index`, header.index) : null;
  return new Texts(await readBlock(`${id}.bytes`), lengths.values, index && index.values);
}

// A column of ids that are numbers. It has the same functions as Texts.
class NumberTexts {
  constructor(column) {
    this.column = column;
    this.length = column.values.length;
  }

  number(i) {
    return i;
  }

  at(i) {
    return String(this.column.at(i));
  }
}
