import { expect, test } from 'vitest'
import { spreadColours } from '@/lib/services/engines/embedded/images/pixels'

const [WIDTH, HEIGHT] = [200, 120]

function image() {
  const data = new Uint8Array(WIDTH * HEIGHT * 3)
  const mask = new Uint8Array(WIDTH * HEIGHT).fill(255)
  for (let at = 0; at < mask.length; at++) {
    const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)]
    const isHole = y > 40 && y < 80 && ((x > 30 && x < 60) || (x > 140 && x < 170))
    if (isHole) mask[at] = 0
    else data.set(x < WIDTH / 2 ? [20, 200, 20] : [20, 20, 200], at * 3)
  }
  return { data, mask }
}

test('under a hole stand the colours around it, and nothing else changes', async () => {
  const { data, mask } = image()
  const spread = await spreadColours({ data, width: WIDTH, height: HEIGHT }, mask)
  expect(spread.length).toBe(data.length)
  const at = (x: number, y: number) => [...spread.subarray((y * WIDTH + x) * 3, (y * WIDTH + x) * 3 + 3)]
  const [, green = 0, lessBlue = 0] = at(45, 60)
  const [, lessGreen = 0, blue = 0] = at(155, 60)
  expect(green).toBeGreaterThan(lessBlue)
  expect(blue).toBeGreaterThan(lessGreen)
  for (let pixel = 0; pixel < mask.length; pixel += 7) {
    if (mask[pixel] === 0) continue
    expect([...spread.subarray(pixel * 3, pixel * 3 + 3)]).toEqual([...data.subarray(pixel * 3, pixel * 3 + 3)])
  }
})
