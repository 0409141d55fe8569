export type Size = { width: number; height: number }

// Shorter side of an image of `1K`, in pixels; `2K` and `4K` are two and four times it.
const SHORT_SIDE = 1_024
// Common engines take sizes such as 1792 x 1024 for 16:9.
const GRAIN = 64
const MAX_FACTOR = 8
const MAX_RATIO = 8

/**
 * Returns width / height; undefined for another text, or a ratio that is too long for an image. @example
 * ratioOf('16:9') // 1.78
 */
export function ratioOf(text: string): number | undefined {
  const [, width, height] = /^(\d{1,4}):(\d{1,4})$/.exec(text) ?? []
  const ratio = Number(width) / Number(height)
  return ratio >= 1 / MAX_RATIO && ratio <= MAX_RATIO ? ratio : undefined
}

/** Returns the pixels of a ratio; an unknown resolution counts as `1K`. */
export function sizeOfRatio(ratio: number, resolution = '1K'): Size {
  const factor = Math.min(MAX_FACTOR, Number(/^([1-9])K$/i.exec(resolution)?.[1] ?? 1))
  const short = SHORT_SIDE * factor
  const long = Math.max(short, Math.floor((short * Math.max(ratio, 1 / ratio)) / GRAIN) * GRAIN)
  return ratio >= 1 ? { width: long, height: short } : { width: short, height: long }
}

/** Returns the size whose longer side is `longest`, in whole steps of a divisor. */
export function sizeWithin(ratio: number, longest: number, divisor: number): Size {
  const step = (length: number) => Math.max(divisor, Math.floor(length / divisor) * divisor)
  return ratio >= 1
    ? { width: step(longest), height: step(longest / ratio) }
    : { width: step(longest * ratio), height: step(longest) }
}

export function nearestRatio(ratios: readonly string[], { width, height }: Size): string | undefined {
  const wanted = Math.log(width / height)
  const known = ratios.flatMap((name) => {
    const ratio = ratioOf(name)
    return ratio === undefined ? [] : [{ name, distance: Math.abs(Math.log(ratio) - wanted) }]
  })
  return known.sort((a, b) => a.distance - b.distance)[0]?.name
}
