// SPDX-License-Identifier: Apache-2.0
// The traces and plans of a page, with queries for the records in a window, at
// a point, or live at a task.

// An index of the records by time. The level of a record is the base-2
// logarithm of its lifetime, rounded down. Each level is sorted by first task.
// In each level, the records that are live in a window of tasks are therefore
// within one range.
class LifetimeIndex {
  constructor(firsts, lives) {
    const n = firsts.length;
    this.firsts = firsts;
    this.order = new Uint32Array(n);
    this.begins = new Uint32Array(66);  // by level: its first place
    const levels = new Uint8Array(n);
    for (let i = 0; i < n; ++i) {
      levels[i] = Math.floor(Math.log2(lives[i] + 1));
      ++this.begins[levels[i] + 1];
    }
    for (let k = 0; k < 65; ++k) this.begins[k + 1] += this.begins[k];
    const next = this.begins.slice();
    const byFirst = orderByFirst(firsts);
    for (let i = 0; i < n; ++i) {
      const record = byFirst === null ? i : byFirst[i];
      this.order[next[levels[record]]++] = record;
    }
  }

  // Returns the first place of the level with a record that begins after
  // `task`.
  after(level, task) {
    let low = this.begins[level];
    let high = this.begins[level + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.firsts[this.order[middle]] > task) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

// Returns the indices of the records, sorted by first task and then by index.
// Returns null if the records are already in this order.
function orderByFirst(firsts) {
  const n = firsts.length;
  let most = 0;
  let isSorted = true;
  for (let i = 0; i < n; ++i) {
    isSorted = isSorted && firsts[i] >= most;
    most = Math.max(most, firsts[i]);
  }
  if (isSorted) return null;
  if (most * n <= MAX_EXACT) {
    // Sort numbers as keys, because this is faster than calling a comparison
    // function.
    const keys = Float64Array.from(firsts, (first, i) => first * n + i).sort();
    return Uint32Array.from(keys, (key) => key % n);
  }
  return Uint32Array.from(firsts.keys()).sort((a, b) => firsts[a] - firsts[b] || a - b);
}

// The number of bytes that are live at each task. `tasks` has the tasks at
// which this number changes, or is null if `breadths` has an entry for every
// task.
class Profile {
  constructor(trace) {
    const last = trace.taskEnd;
    if (last <= 4 * trace.length + 1024) this.countAll(trace, last);
    else this.countChanges(trace);
    this.levels = maximumPyramid(this.breadths);
  }

  countAll(trace, last) {
    this.tasks = null;
    const breadths = new Float64Array(last + 1);
    for (let i = 0; i < trace.length; ++i) {
      breadths[trace.firsts[i]] += trace.sizes[i];
      breadths[trace.ends[i]] -= trace.sizes[i];
    }
    for (let t = 1; t <= last; ++t) breadths[t] += breadths[t - 1];
    this.breadths = breadths;
  }

  countChanges(trace) {
    const tasks = new Float64Array(2 * trace.length);
    tasks.set(trace.firsts);
    tasks.set(trace.ends, trace.length);
    tasks.sort();
    let kept = 0;
    for (let i = 0; i < tasks.length; ++i) {
      if (i === 0 || tasks[i] !== tasks[i - 1]) tasks[kept++] = tasks[i];
    }
    this.tasks = tasks.slice(0, kept);
    const breadths = new Float64Array(kept);
    for (let i = 0; i < trace.length; ++i) {
      breadths[this.place(trace.firsts[i])] += trace.sizes[i];
      breadths[this.place(trace.ends[i])] -= trace.sizes[i];
    }
    for (let k = 1; k < kept; ++k) breadths[k] += breadths[k - 1];
    this.breadths = breadths;
  }

  // Returns the index of the entry of `breadths` that applies to a task, or -1
  // if the task is before the first entry.
  place(task) {
    if (this.tasks === null) return Math.min(Math.floor(task), this.breadths.length - 1);
    let low = 0;
    let high = this.tasks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.tasks[middle] > task) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  // Returns the maximum number of bytes that are live at any task of [begin,
  // end).
  most(begin, end) {
    let low = Math.max(0, this.place(begin));
    let high = this.place(Math.ceil(end) - 1);
    if (high < low) return 0;
    let most = 0;
    for (let k = 0; low <= high; ++k, low >>= 1, high >>= 1) {
      const level = this.levels[k];
      if (low & 1) most = Math.max(most, level[low++]);
      if (!(high & 1)) most = Math.max(most, level[high--]);
    }
    return most;
  }
}

// Returns levels of maximums. Level 0 has the values. Each entry of level k + 1
// is the maximum of two adjacent entries of level k.
function maximumPyramid(values) {
  const levels = [values];
  while (levels[levels.length - 1].length > 1) {
    const below = levels[levels.length - 1];
    const level = new Float64Array((below.length + 1) >> 1);
    for (let i = 0; i < below.length; ++i) level[i >> 1] = Math.max(level[i >> 1], below[i]);
    levels.push(level);
  }
  return levels;
}

class Trace {
  constructor(key, header, columns) {
    Object.assign(this, columns);  // first, life, size and others
    this.key = key;
    this.header = header;
    this.length = header.records;
    this.peak = parseDecimal(header.peak);
    this.firsts = columns.first.values;
    this.sizes = columns.size.values;
    this.ends = this.findEnds();
    let begin = Infinity;
    for (let i = 0; i < this.length; ++i) begin = Math.min(begin, this.firsts[i]);
    this.taskBegin = this.length === 0 ? 0 : begin;
    this.taskEnd = Number(header.tasks);
    this.index = new LifetimeIndex(this.firsts, columns.life.values);
    this.profile = new Profile(this);
  }

  // Returns the task after the last task of each record, as a number for
  // drawing.
  findEnds() {
    const lives = this.life.values;
    const isSmall = Number(this.header.tasks) < 2 ** 32;
    const ends = new (isSmall ? Uint32Array : Float64Array)(this.length);
    for (let i = 0; i < this.length; ++i) ends[i] = this.firsts[i] + lives[i] + 1;
    return ends;
  }

  last(i) {
    return add(this.first.at(i), this.life.at(i));
  }

  lifetime(i) {
    return add(this.life.at(i), 1);
  }

  id(i, limit) {
    return this.ids.at(i, limit);
  }

  name(i, limit) {
    return this.names ? this.names.at(i, limit) : '';
  }

  // Returns the name of the tensor, or its id if it has no name. The text is
  // cut to at most `limit` characters.
  label(i, limit = 60) {
    return cut(this.name(i, 4 * limit) || this.id(i, 4 * limit), limit);
  }

  // Returns the task that writes the tensor, or null if it is not known.
  producer(i) {
    if (!this.producers) return null;
    const producer = this.producers.at(i);
    return producer === 0 ? null : subtract(producer, 1);
  }

  operator(task, limit) {
    if (!this.operators || task === null || task >= this.operators.length) return '';
    return this.operators.at(Number(task), limit);
  }

  // Calls visit(record) for each record that is live at a task of [begin, end).
  forEachIn(begin, end, visit) {
    const {order, begins} = this.index;
    for (let level = 0; level < 65; ++level) {
      const stop = begins[level + 1];
      if (begins[level] === stop) continue;
      for (let k = this.index.after(level, begin - 2 ** (level + 1)); k < stop; ++k) {
        const record = order[k];
        if (this.firsts[record] >= end) break;
        if (this.ends[record] > begin) visit(record);
      }
    }
  }

  // Returns whether a record is live at a task. Compares exact numbers.
  isLiveAt(i, task) {
    return this.first.at(i) <= task && task <= this.last(i);
  }

  liveAt(task) {
    const live = [];
    const near = Number(task);
    // Above 2^53, the numbers that forEachIn compares are inexact, by up to
    // 4096.
    const error = near > MAX_EXACT ? 4096 : 0;
    this.forEachIn(near - error, near + 1 + error, (i) => {
      if (this.isLiveAt(i, task)) live.push(i);
    });
    return live;
  }
}

class Plan {
  // The column `band` has the memory of each record. It is null for plans of a
  // single arena and for plans of shared objects.
  constructor(header, trace, offset, band) {
    this.header = header;
    this.trace = trace;
    this.offset = offset;
    this.band = band;
    this.offsets = offset.values;
    this.total = parseDecimal(header.total);
    this.bound = parseDecimal(header.bound);
    this.capacity = header.capacity === undefined ? null : parseDecimal(header.capacity);
    this.bands = header.bands.map((band) => ({
      name: band.name,
      begin: parseDecimal(band.begin),
      size: parseDecimal(band.size),
      capacity: band.capacity === undefined ? null : parseDecimal(band.capacity),
    }));
  }

  end(i) {
    return add(this.offset.at(i), this.trace.size.at(i));
  }

  // Returns the first byte of a record in its own memory or object. In
  // contrast, the column `offset` has the place of the record in the chart,
  // which stacks the bands.
  firstByte(i) {
    return subtract(this.offset.at(i), this.baseOf(this.bandOf(i)));
  }

  baseOf(band) {
    return this.bands.length > 0 ? this.bands[band].begin : 0;
  }

  // Returns the name of the memory or object of a record. The name is empty if
  // the plan has only one arena.
  bandName(i) {
    return this.bands.length > 0 ? this.bands[this.bandOf(i)].name : '';
  }

  // Returns the records at a point of the chart. `task` and `byte` may have
  // fractions, because the point may be within a task or a byte.
  recordsAt(task, byte) {
    const found = [];
    const {firsts, ends, sizes} = this.trace;
    this.trace.forEachIn(Math.floor(task), Math.floor(task) + 1, (i) => {
      const begin = this.offsets[i];
      if (firsts[i] <= task && task < ends[i] && begin <= byte && byte < begin + sizes[i]) {
        found.push(i);
      }
    });
    return found;
  }

  // Returns the use of the arena at a task: the live bytes, the free bytes
  // below a live tensor of the same band, and all other free bytes.
  useAt(task) {
    let live = 0;
    const tops = this.bands.length > 0 ? this.bands.map((band) => band.begin) : [0];
    for (const i of this.trace.liveAt(task)) {
      live = add(live, this.trace.size.at(i));
      const band = this.bandOf(i);
      const end = this.end(i);
      if (end > tops[band]) tops[band] = end;
    }
    let covered = 0;
    tops.forEach((top, band) => {
      covered = add(covered, subtract(top, this.baseOf(band)));
    });
    return {live, gaps: subtract(covered, live), top: subtract(this.total, covered)};
  }

  bandOf(i) {
    return this.band ? this.band.values[i] : this.bandAt(this.offset.at(i));
  }

  // Returns the result of firstByte for each record, as numbers to sort by.
  // They are cached, because the table uses them whenever it is scrolled.
  get firstBytes() {
    if (this.bands.length === 0) return this.offsets;
    if (!this.firstByteNumbers) {
      this.firstByteNumbers =
        Float64Array.from(this.offsets, (_, i) => Number(this.firstByte(i)));
    }
    return this.firstByteNumbers;
  }

  // Returns the band at an offset of the chart.
  bandAt(offset) {
    let low = 0;
    let high = this.bands.length;
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (this.bands[middle].begin <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}
