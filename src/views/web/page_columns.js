// SPDX-License-Identifier: Apache-2.0
// The blocks of a page as typed arrays: the inverse of src/views/columns.h.

// The bytes of the block with that id, which the document forgets.
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

// Numbers by index. `values` are to draw with, and exact up to 2^53; `big` has
// the exact ones where some are larger, else it is null.
class Column {
  constructor(values, big) {
    this.values = values;
    this.big = big;
  }

  // Exact: a number or a BigInt.
  at(i) {
    return this.big === null ? this.values[i] : shrink(this.big[i]);
  }
}

// `header` is what the page's header says of the column.
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

// The lowest bit of a difference is its sign: the rest is exact in a number.
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

// Texts by index, decoded when they are asked for: a million strings would take
// more than the page.
class Texts {
  constructor(bytes, lengths, index) {
    this.bytes = bytes;
    this.index = index;
    this.ends = new Float64Array(lengths.length);
    let end = 0;
    for (let i = 0; i < lengths.length; ++i) this.ends[i] = end += lengths[i];
    this.length = index === null ? lengths.length : index.length;
  }

  // The number of the text among the different ones.
  number(i) {
    return this.index === null ? i : this.index[i];
  }

  // Made visible. Of a text longer than `limit` bytes, its two ends.
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

// Ids that are numbers.
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
