// SPDX-License-Identifier: Apache-2.0
// Draws the rectangles of records into an array of pixels, without drawing
// calls of the browser. A rectangle that is at least one pixel wide and one
// pixel high is filled, with its edges rounded to pixels. A smaller rectangle
// adds its exact area to the pixels that it touches. This takes constant time
// for any shape, because only the differences at the edges are stored. The
// differences are summed once for each frame. No rectangle is omitted, so even
// a picture of a million records shows how much of each pixel is in use.

class Raster {
  constructor() {
    this.width = 0;
    this.height = 0;
  }

  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    // The differences at the edges of small rectangles, as pairs: the area, and
    // the area times the entry of the palette. A rectangle within one row of
    // pixels changes `rows`, which is summed along each row. Any other small
    // rectangle changes `corners`, which is summed down each column and along
    // each row.
    this.stride = width + 2;
    this.rows = new Float32Array(2 * this.stride * (height + 2));
    this.corners = new Float32Array(this.rows.length);
    this.share = new Float32Array(width * height);  // occupied part of a pixel
    this.solids = new Int32Array(5 * 1024);
    this.above = new Int32Array(width + 2);
    this.hasCorners = true;
  }

  // Draws the records of `plan` in the window of tasks [x0, x1) and bytes [y0,
  // y1). `style` has the colours palette, background, edge, ghost, plain and
  // gap as [r, g, b], and the flags isRamp and showGaps. Its array `moved` has
  // a flag for each record: only records with this flag are drawn in full. If
  // `moved` is null, all records are drawn in full.
  draw(plan, shades, window, style) {
    this.rows.fill(0);
    if (this.hasCorners) this.corners.fill(0);
    this.above.fill(0);
    this.solidCount = 0;
    this.hasCorners = false;
    this.pixels.fill(packColour(style.background));
    this.collect(plan, shades, window, style.moved);
    this.shade(style);
    this.fillSolids(shades, style);
    if (style.showGaps) this.hatchGaps(plan, window, style);
  }

  collect(plan, shades, window, moved) {
    const {index} = plan.trace;
    for (let level = 0; level < 65; ++level) {
      const end = index.begins[level + 1];
      if (index.begins[level] === end) continue;
      const begin = index.after(level, window.x0 - 2 ** (level + 1));
      this.collectRange(plan, shades, window, moved, begin, end);
    }
  }

  // Collects the rectangles of the records in places [begin, end) of the index.
  // This loop takes most of the time, so it uses only local variables.
  collectRange(plan, shades, {x0, x1, y0, y1}, moved, begin, end) {
    const {firsts, ends, sizes, index: {order}} = plan.trace;
    const {width, height} = this;
    const offsets = plan.offsets;
    const sx = width / (x1 - x0);
    const sy = height / (y1 - y0);
    for (let k = begin; k < end; ++k) {
      const i = order[k];
      const first = firsts[i];
      if (first >= x1) break;
      if (ends[i] <= x0) continue;
      let left = (first - x0) * sx;
      let right = (ends[i] - x0) * sx;
      let bottom = height - (offsets[i] - y0) * sy;
      let top = bottom - sizes[i] * sy;
      const isThin = right - left < 1 || bottom - top < 1;
      if (left < 0) left = 0;
      if (right > width) right = width;
      if (bottom <= 0) {
        ++this.above[Math.floor(left)];
        --this.above[Math.ceil(right)];
        continue;
      }
      if (top < 0) top = 0;
      if (bottom > height) bottom = height;
      if (bottom <= top || right <= left) continue;
      if (moved !== null && moved[i] === 0) {
        if (!isThin) this.addSolid(left, top, right, bottom, -1);
      } else if (isThin || !this.addSolid(left, top, right, bottom, i)) {
        this.addSmall(left, top, right, bottom, shades[i]);
      }
    }
  }

  // Stores a rectangle to be filled later. Returns false if the part of the
  // rectangle in the window is too small to fill a pixel.
  addSolid(left, top, right, bottom, record) {
    const [x0, y0, x1, y1] = [Math.round(left), Math.round(top), Math.round(right),
      Math.round(bottom)];
    if (x0 === x1 || y0 === y1) return false;
    const at = 5 * this.solidCount++;
    if (at === this.solids.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.solids);
      this.solids = larger;
    }
    this.solids[at] = x0;
    this.solids[at + 1] = y0;
    this.solids[at + 2] = x1;
    this.solids[at + 3] = y1;
    this.solids[at + 4] = record;
    return true;
  }

  addSmall(left, top, right, bottom, entry) {
    const upper = Math.floor(top);
    if (bottom <= upper + 1) {
      this.addRow(this.rows, upper, left, right, bottom - top, entry);
      return;
    }
    this.hasCorners = true;
    const lower = Math.floor(bottom);
    // The edges at `top` and `bottom` may each be within a row of pixels, so
    // each edge makes differences in two rows.
    this.addRow(this.corners, upper, left, right, upper + 1 - top, entry);
    this.addRow(this.corners, upper + 1, left, right, top - upper, entry);
    this.addRow(this.corners, lower, left, right, bottom - lower - 1, entry);
    this.addRow(this.corners, lower + 1, left, right, lower - bottom, entry);
  }

  // Adds a rectangle to a row of pixels. `part` is the height of the rectangle
  // as a fraction of the height of the row.
  addRow(sums, row, left, right, part, entry) {
    const first = Math.floor(left);
    let at = 2 * (row * this.stride + first);
    if (right <= first + 1) {
      const area = part * (right - left);
      sums[at] += area;
      sums[at + 1] += area * entry;
      sums[at + 2] -= area;
      sums[at + 3] -= area * entry;
      return;
    }
    const rise = part * (first + 1 - left);
    sums[at] += rise;
    sums[at + 1] += rise * entry;
    sums[at + 2] += part - rise;
    sums[at + 3] += (part - rise) * entry;
    const last = Math.floor(right);
    const fall = part * (last + 1 - right);
    at = 2 * (row * this.stride + last);
    sums[at] -= fall;
    sums[at + 1] -= fall * entry;
    sums[at + 2] -= part - fall;
    sums[at + 3] -= (part - fall) * entry;
  }

  // Sums the differences in `corners` down each column, sums all differences
  // along each row, and colours the pixels by the sums.
  shade(style) {
    const {width, height, stride, rows, corners, share, hasCorners} = this;
    const areas = new Float64Array(width);
    const weights = new Float64Array(width);
    share.fill(0);
    for (let y = 0; y < height; ++y) {
      let area = 0;
      let weight = 0;
      let at = 2 * y * stride;
      let pixel = y * width;
      for (let x = 0; x < width; ++x, at += 2, ++pixel) {
        area += rows[at];
        weight += rows[at + 1];
        if (hasCorners) {
          areas[x] += corners[at];
          weights[x] += corners[at + 1];
          area += areas[x];
          weight += weights[x];
        }
        if (area > 0.001) this.shadePixel(pixel, area, weight / area, style);
      }
    }
  }

  shadePixel(pixel, area, entry, style) {
    const share = area < 1 ? area : 1;
    const paper = style.background;
    const ink = style.isRamp
      ? style.palette[entry < 0 ? 0 : entry > 255 ? 255 : Math.round(entry)] : style.plain;
    this.share[pixel] = share;
    this.pixels[pixel] = (255 << 24 |
      Math.round(paper[2] + (ink[2] - paper[2]) * share) << 16 |
      Math.round(paper[1] + (ink[1] - paper[1]) * share) << 8 |
      Math.round(paper[0] + (ink[0] - paper[0]) * share)) >>> 0;
  }

  fillSolids(shades, style) {
    const fills = Uint32Array.from(style.palette, packColour);
    // The edges are dark in the light theme. In the dark theme they have the
    // colour of the plot.
    const edges = Uint32Array.from(style.palette,
      (colour) => packColour(mix(colour, style.edge, 0.75)));
    const ghost = packColour(style.ghost);
    const ghostEdge = packColour(mix(style.ghost, style.edge, 0.3));
    for (let k = 0; k < this.solidCount; ++k) {
      const left = this.solids[5 * k];
      const top = this.solids[5 * k + 1];
      const right = this.solids[5 * k + 2];
      const bottom = this.solids[5 * k + 3];
      const record = this.solids[5 * k + 4];
      const isGhost = record < 0;
      this.fill(left, top, right, bottom, isGhost ? ghost : fills[shades[record]]);
      if (right - left < 4 || bottom - top < 4) continue;
      this.frame(left, top, right, bottom, isGhost ? ghostEdge : edges[shades[record]]);
    }
  }

  fill(left, top, right, bottom, colour) {
    for (let y = top; y < bottom; ++y) {
      const row = y * this.width;
      if (right - left > 16) this.pixels.fill(colour, row + left, row + right);
      else for (let x = left; x < right; ++x) this.pixels[row + x] = colour;
    }
  }

  frame(left, top, right, bottom, colour) {
    this.fill(left, top, right, top + 1, colour);
    this.fill(left, bottom - 1, right, bottom, colour);
    this.fill(left, top, left + 1, bottom, colour);
    this.fill(right - 1, top, right, bottom, colour);
  }

  // Hatches the free pixels that have a tensor above them in the same band.
  hatchGaps(plan, window, style) {
    const free = packColour(style.background);
    const gap = packColour(style.gap);
    const {width, height, pixels} = this;
    const isBelow = new Uint8Array(width);
    for (let x = 0, sum = 0; x < width; ++x) isBelow[x] = (sum += this.above[x]) > 0 ? 1 : 0;
    const ends = this.bandRows(plan, window);
    for (let y = 0; y < height; ++y) {
      if (ends.has(y)) isBelow.fill(0);
      for (let x = 0, at = y * width; x < width; ++x, ++at) {
        if (pixels[at] !== free) isBelow[x] = 1;
        else if (isBelow[x] === 1 && (x + y) % 6 === 0) pixels[at] = gap;
      }
    }
  }

  // Returns the rows of pixels at which a band ends.
  bandRows(plan, {y0, y1}) {
    const rows = new Set();
    for (const band of plan.bands) {
      const end = Number(band.begin) + Number(band.size);
      rows.add(Math.round(this.height - (end - y0) * this.height / (y1 - y0)));
    }
    return rows;
  }
}
