const PAGE_BYTES = 65_536
const MAGIC_BYTES = 8
const MEMORY_SECTION = 5

/**
 * Lowers the most memory that a WebAssembly module may grow to, which it states itself. Written over the stated number,
 * in as many bytes.
 *
 * @throws Error when the module states no bound, or a number of fewer bytes.
 */
export function limitMemory(module: Uint8Array, maxBytes: number): void {
  let at = MAGIC_BYTES
  while (at < module.length) {
    const section = module[at]
    const length = readNumber(module, at + 1)
    if (section === MEMORY_SECTION) {
      const count = readNumber(module, length.end)
      const flags = readNumber(module, count.end)
      if (count.value !== 1 || flags.value !== 1) throw new Error('the module states no bound of its memory')
      const least = readNumber(module, flags.end)
      const most = readNumber(module, least.end)
      writeNumber(module, least.end, most.end, maxBytes / PAGE_BYTES)
      return
    }
    at = length.end + length.value
  }
  throw new Error('the module states no memory')
}

/** Unsigned LEB128. */
function readNumber(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0
  let end = start
  let byte = 0x80
  for (let factor = 1; byte >= 0x80 && end < bytes.length; factor *= 128) {
    byte = bytes[end++] ?? 0
    value += (byte & 0x7f) * factor
  }
  return { value, end }
}

/** Leading zero groups fill the place. */
function writeNumber(bytes: Uint8Array, start: number, end: number, value: number): void {
  let rest = value
  for (let at = start; at < end; at++) {
    bytes[at] = (rest & 0x7f) | (at < end - 1 ? 0x80 : 0)
    rest >>>= 7
  }
  if (rest > 0) throw new Error('the number does not fit its place')
}
