import { expect, test } from 'vitest'
import { limitMemory } from '@/lib/services/media/ffmpeg-program'

const PAGE = 65_536
const START = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const MODULE = [...START, 0, 2, 1, 0x61, 5, 6, 1, 1, 1, 0x80, 0x80, 2, 7, 5, 1, 1, 0x6d, 2, 0]

async function memoryOf(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Memory> {
  const { instance } = await WebAssembly.instantiate(bytes)
  return instance.exports.m as WebAssembly.Memory
}

test('a module cannot grow beyond the limit', async () => {
  const bytes = Uint8Array.from(MODULE)
  limitMemory(bytes, 300 * PAGE)

  const memory = await memoryOf(bytes)

  expect(memory.grow(299)).toBe(1)
  expect(() => memory.grow(1)).toThrow(RangeError)
  expect((await memoryOf(Uint8Array.from(MODULE))).grow(300)).toBe(1)
})

test('a module that states no bound, or too small a one, is refused', () => {
  expect(() => limitMemory(Uint8Array.from(START), PAGE)).toThrow()
  expect(() => limitMemory(Uint8Array.from([...START, 5, 3, 1, 0, 1]), PAGE)).toThrow()
  expect(() => limitMemory(Uint8Array.from([...START, 5, 4, 1, 1, 1, 2]), 300 * PAGE)).toThrow()
})
