import { createCipheriv, createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { skewOf } from '@/lib/services/engines/embedded/vision/image'

const WIDTH = 500
const HEIGHT = 300

function dashes(degrees: number): Uint8Array {
  const angle = (degrees * Math.PI) / 180
  return Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const [x, y] = [(at % WIDTH) - WIDTH / 2, Math.floor(at / WIDTH) - HEIGHT / 2]
    const [along, across] = [x * Math.cos(angle) + y * Math.sin(angle), y * Math.cos(angle) - x * Math.sin(angle)]
    const isInside = Math.abs(along) < 200 && Math.abs(across) < 100
    return isInside && (across + 1000) % 24 < 10 && (along + 1000) % 9 < 6 ? 0 : 255
  })
}

test.each([-11, -3, 1.5, 8])('lines that lean by %d degrees are seen to', (degrees) => {
  expect(Math.abs(skewOf(dashes(degrees), WIDTH, HEIGHT) - degrees)).toBeLessThan(0.35)
})

test('straight lines, a blank page and noise do not lean', () => {
  expect(skewOf(dashes(0), WIDTH, HEIGHT)).toBe(0)
  expect(skewOf(new Uint8Array(WIDTH * HEIGHT).fill(200), WIDTH, HEIGHT)).toBe(0)
  const random = createHash('sha256').update('noise').digest()
  const noise = createCipheriv('aes-256-ctr', random, random.subarray(16)).update(new Uint8Array(WIDTH * HEIGHT))
  expect(skewOf(noise, WIDTH, HEIGHT)).toBe(0)
})
