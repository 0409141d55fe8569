/** Numbers within bounds, as grammars. Runs in the child process. */

/** Whole numbers have no more digits than a double keeps. */
const MOST = 10 ** 15 - 1

/** Inclusive; what is missing is open. */
export type Range = { min?: number; max?: number }

/** Whole numbers of a range; nothing when there is none. */
export function integersOf({ min = -MOST, max = MOST }: Range): string | undefined {
  const [low, high] = [Math.max(Math.ceil(min), -MOST), Math.min(Math.floor(max), MOST)]
  if (!(low <= high)) return undefined
  const parts = [
    ...(low < 0 ? [`"-" ${magnitudes(Math.max(1, -high), -low)}`] : []),
    ...(high >= 0 ? [magnitudes(Math.max(0, low), high)] : []),
  ]
  return group(parts)
}

/**
 * Numbers of a range: its whole numbers, and those with a fraction that lie between two of them. Not all there are, but
 * each is in the range. Nothing when no whole number is.
 */
export function numbersOf(range: Range): string | undefined {
  const whole = integersOf(range)
  if (whole === undefined) return undefined
  const { min = -MOST, max = MOST } = range
  const above = [Math.max(0, Math.ceil(min)), Math.min(MOST, Math.floor(max) - 1)] as const
  const below = [Math.max(0, Math.ceil(-max)), Math.min(MOST, Math.floor(-min) - 1)] as const
  const fraction = '"." [0-9]{1,15}'
  return group([
    whole,
    ...(above[0] <= above[1] ? [`${magnitudes(...above)} ${fraction}`] : []),
    ...(below[0] <= below[1] ? [`"-" ${magnitudes(...below)} ${fraction}`] : []),
  ])
}

/** Whole numbers from `low` to `high`, neither negative: those of one length after the other. */
function magnitudes(low: number, high: number): string {
  const parts: string[] = []
  for (let length = String(low).length; length <= String(high).length; length++) {
    const least = length === 1 ? 0 : 10 ** (length - 1)
    parts.push(sameLength(String(Math.max(low, least)), String(Math.min(high, 10 ** length - 1))))
  }
  return group(parts)
}

function sameLength(low: string, high: string): string {
  if (low === '') return ''
  if (/^0*$/.test(low) && /^9*$/.test(high)) return `[0-9]{${low.length}}`
  const [first, last] = [Number(low[0]), Number(high[0])]
  const [lowRest, highRest] = [low.slice(1), high.slice(1)]
  if (first === last) return `"${first}" ${sameLength(lowRest, highRest)}`
  if (lowRest === '') return `[${first}-${last}]`
  return group([
    `"${first}" ${sameLength(lowRest, '9'.repeat(lowRest.length))}`,
    ...(last - first > 1 ? [`[${first + 1}-${last - 1}] [0-9]{${lowRest.length}}`] : []),
    `"${last}" ${sameLength('0'.repeat(highRest.length), highRest)}`,
  ])
}

const group = (parts: string[]): string => (parts.length === 1 ? parts[0]! : `( ${parts.join(' | ')} )`)
