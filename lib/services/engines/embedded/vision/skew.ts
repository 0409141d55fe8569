/** Text leans at most this much in either direction, in degrees; what leans more is not text that was written along. */
const MAX_DEGREES = 15
const STEP_DEGREES = 0.5
const FINE_STEP_DEGREES = 0.1
/** Turning costs sharpness: below this nothing is gained. */
const LEAST_DEGREES = 0.3
/** Lines stand out so much more at the right angle than as they are, and than at most others. */
const LEAST_GAIN = 1.3
const LEAST_PEAK = 1.6
/** A pixel is ink when it differs so much from the pixel below it. Of 255. */
const EDGE = 40

/**
 * By how many degrees the lines of a page lean, clockwise; 0 where they lie straight or there are none. At the right
 * angle the edges of the letters fall into few rows, with empty ones between the lines.
 *
 * @param page grey values, row by row. A few hundred pixels wide is enough; the time grows with their number.
 */
export function skewOf(page: Uint8Array, width: number, height: number): number {
  const points = edgesOf(page, width, height)
  if (points.length === 0) return 0
  const scoresAt = (angles: number[]) =>
    angles.map((degrees) => ({ degrees, score: sharpness(points, degrees, width, height) })).sort(byScore)

  const coarse = scoresAt(range(-MAX_DEGREES, MAX_DEGREES, STEP_DEGREES))
  const { degrees: about } = coarse[0]!
  const { degrees, score } = scoresAt(range(about - STEP_DEGREES, about + STEP_DEGREES, FINE_STEP_DEGREES))[0]!
  const isPeak = score >= coarse[coarse.length >> 1]!.score * LEAST_PEAK
  const isBetter = score >= sharpness(points, 0, width, height) * LEAST_GAIN
  return isPeak && isBetter && Math.abs(degrees) >= LEAST_DEGREES && Math.abs(degrees) < MAX_DEGREES ? degrees : 0
}

type Score = { degrees: number; score: number }

const byScore = (a: Score, b: Score): number => b.score - a.score

type Point = { x: number; y: number }

function edgesOf(page: Uint8Array, width: number, height: number): Point[] {
  const points: Point[] = []
  for (let y = 0; y + 1 < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      if (Math.abs(page[at]! - page[at + width]!) > EDGE) points.push({ x, y })
    }
  }
  return points
}

/** How unevenly the points fall into rows that lean by so much. */
function sharpness(points: Point[], degrees: number, width: number, height: number): number {
  const angle = (degrees * Math.PI) / 180
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
  const rows = new Float64Array(2 * (width + height) + 1)
  for (const { x, y } of points) rows[Math.round(y * cosine - x * sine) + width + height]! += 1
  let sum = 0
  for (let row = 1; row < rows.length; row++) sum += (rows[row]! - rows[row - 1]!) ** 2
  return sum
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}
