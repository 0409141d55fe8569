// Writes FLAC: one channel of 16-bit samples, in fixed blocks, so that it can be streamed. RFC 9639.

const BLOCK_SAMPLES = 4_096
const MAX_ORDER = 4
const MAX_RICE_PARAMETER = 14
const PARTITION_ORDER = 4
const SAMPLE_BITS = 16
const SAMPLE_RATE_CODES: Record<number, number> = { 8000: 4, 16000: 5, 22050: 6, 24000: 7, 44100: 9, 48000: 10 }
const CONSTANT = 0
const VERBATIM = 1
const FIXED = 8

export type FlacWriter = {
  head(samples?: number): Uint8Array
  write(samples: Int16Array): Uint8Array
  end(): Uint8Array
}

export function createFlacWriter(rate: number): FlacWriter {
  const rateCode = SAMPLE_RATE_CODES[rate]
  if (rateCode === undefined) throw new RangeError(`${rate}: no sample rate of this writer`)
  let rest = new Int16Array(0)
  let frame = 0
  return {
    head: (samples = 0) => headOf(rate, samples),
    write(samples) {
      const all = new Int16Array(rest.length + samples.length)
      all.set(rest)
      all.set(samples, rest.length)
      const frames: Uint8Array[] = []
      let at = 0
      for (; at + BLOCK_SAMPLES <= all.length; at += BLOCK_SAMPLES) {
        frames.push(frameOf(all.subarray(at, at + BLOCK_SAMPLES), frame++, rateCode))
      }
      rest = all.slice(at)
      return Buffer.concat(frames)
    },
    end: () => (rest.length > 0 ? frameOf(rest, frame, rateCode) : new Uint8Array(0)),
  }
}

function headOf(rate: number, samples: number): Uint8Array {
  const bits = new BitWriter()
  for (const character of 'fLaC') bits.put(character.charCodeAt(0), 8)
  // The last block of metadata, of type STREAMINFO, 34 bytes.
  bits.put(0x80, 8).put(34, 24)
  bits.put(BLOCK_SAMPLES, 16).put(BLOCK_SAMPLES, 16)
  // Sizes of frames: not known.
  bits.put(0, 24).put(0, 24)
  bits
    .put(rate, 20)
    .put(0, 3)
    .put(SAMPLE_BITS - 1, 5)
    .put(0, 4)
    .put(samples, 32)
  for (let index = 0; index < 16; index++) bits.put(0, 8)
  return bits.bytes()
}

function frameOf(samples: Int16Array, number: number, rateCode: number): Uint8Array {
  const bits = new BitWriter()
  const isWhole = samples.length === BLOCK_SAMPLES
  // 4096 has a code of its own; another length follows the number in sixteen bits.
  bits
    .put(0x3ffe, 14)
    .put(0, 2)
    .put(isWhole ? 12 : 7, 4)
    .put(rateCode, 4)
    .put(0, 4)
    .put(4, 3)
    .put(0, 1)
  putNumber(bits, number)
  if (!isWhole) bits.put(samples.length - 1, 16)
  bits.put(checksum8(bits.bytes()), 8)
  putSubframe(bits, samples)
  bits.align()
  bits.put(checksum16(bits.bytes()), 16)
  return bits.bytes()
}

function putNumber(bits: BitWriter, number: number): void {
  if (number < 0x80) {
    bits.put(number, 8)
    return
  }
  let length = 2
  while (length < 6 && number >= 2 ** (5 * length + 1)) length++
  bits.put(((0xff << (8 - length)) & 0xff) | (number >>> (6 * (length - 1))), 8)
  for (let index = length - 2; index >= 0; index--) bits.put(0x80 | ((number >>> (6 * index)) & 0x3f), 8)
}

function putSubframe(bits: BitWriter, samples: Int16Array): void {
  if (samples.every((sample) => sample === samples[0])) {
    bits.put(CONSTANT << 1, 8).put((samples[0] ?? 0) & 0xffff, 16)
    return
  }
  const { order, residual } = bestPrediction(samples)
  const code = riceCode(residual, order, samples.length)
  if (code.size >= samples.length * SAMPLE_BITS) {
    bits.put(VERBATIM << 1, 8)
    for (const sample of samples) bits.put(sample & 0xffff, 16)
    return
  }
  bits.put((FIXED + order) << 1, 8)
  for (let index = 0; index < order; index++) bits.put(samples[index]! & 0xffff, 16)
  bits.put(0, 2).put(code.partitionOrder, 4)
  let at = order
  const width = samples.length >> code.partitionOrder
  for (const [partition, parameter] of code.parameters.entries()) {
    bits.put(parameter, 4)
    const end = (partition + 1) * width
    for (; at < end; at++) bits.rice(residual[at]!, parameter)
  }
}

function bestPrediction(samples: Int16Array): { order: number; residual: Int32Array } {
  let residual = Int32Array.from(samples)
  let best = { order: 0, residual, sum: sumOf(residual, MAX_ORDER) }
  for (let order = 1; order <= Math.min(MAX_ORDER, samples.length - 1); order++) {
    const next = new Int32Array(samples.length)
    for (let index = order; index < samples.length; index++) next[index] = residual[index]! - residual[index - 1]!
    residual = next
    const sum = sumOf(residual, MAX_ORDER)
    if (sum < best.sum) best = { order, residual, sum }
  }
  return best
}

function sumOf(numbers: Int32Array, start: number): number {
  let sum = 0
  for (let index = start; index < numbers.length; index++) sum += Math.abs(numbers[index]!)
  return sum
}

function riceCode(residual: Int32Array, order: number, length: number) {
  const isDivisible = length % (1 << PARTITION_ORDER) === 0 && length >> PARTITION_ORDER > order
  const partitionOrder = isDivisible ? PARTITION_ORDER : 0
  const width = length >> partitionOrder
  const parameters: number[] = []
  let size = 0
  for (let start = 0; start < length; start += width) {
    const part = residual.subarray(Math.max(start, order), start + width)
    const mean = sumOf(part, 0) / Math.max(1, part.length)
    // A signed number is folded into twice its size.
    const parameter = Math.min(MAX_RICE_PARAMETER, Math.max(0, Math.ceil(Math.log2(Math.max(1, mean)))))
    parameters.push(parameter)
    for (const value of part) size += (folded(value) >>> parameter) + 1 + parameter
  }
  return { partitionOrder, parameters, size }
}

const folded = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0

class BitWriter {
  #bytes = Buffer.alloc(1_024)
  #length = 0
  #value = 0
  #bits = 0

  put(value: number, count: number): this {
    for (let left = count; left > 0; ) {
      const take = Math.min(left, 8 - this.#bits)
      left -= take
      this.#value = (this.#value << take) | ((value / 2 ** left) & ((1 << take) - 1))
      this.#bits += take
      if (this.#bits === 8) this.#push()
    }
    return this
  }

  rice(value: number, parameter: number): void {
    const number = folded(value)
    for (let left = number >>> parameter; left > 0; left -= 24) this.put(0, Math.min(24, left))
    this.put(1, 1)
    if (parameter > 0) this.put(number & ((1 << parameter) - 1), parameter)
  }

  align(): void {
    if (this.#bits > 0) this.put(0, 8 - this.#bits)
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#length))
  }

  #push(): void {
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#length)])
    this.#bytes[this.#length++] = this.#value
    this.#value = 0
    this.#bits = 0
  }
}

function checksum8(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x80 ? ((sum << 1) ^ 0x07) & 0xff : sum << 1
  }
  return sum
}

function checksum16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x8000 ? ((sum << 1) ^ 0x8005) & 0xffff : sum << 1
  }
  return sum
}
