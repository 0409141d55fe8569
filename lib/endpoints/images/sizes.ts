export type Size = { width: number; height: number }

/** Of the shorter side of a picture of `1K`; `2K` and `4K` are two and four times it. Pixels. */
const SHORT_SIDE = 1_024
/** Sizes that engines of the field take: 16:9 becomes 1792 x 1024. Pixels. */
const GRAIN = 64
const MAX_FACTOR = 8
const MAX_RATIO = 8

/** A ratio as `width / height`; nothing for what is none, or too long for a picture. @example ratioOf('16:9') // 1.78 */
export function ratioOf(text: string): number | undefined {
  const [, width, height] = /^(\d{1,4}):(\d{1,4})$/.exec(text) ?? []
  const ratio = Number(width) / Number(height)
  return ratio >= 1 / MAX_RATIO && ratio <= MAX_RATIO ? ratio : undefined
}

/** The pixels of a ratio at a resolution such as `2K`; one that is no such name counts as `1K`. */
export function sizeOfRatio(ratio: number, resolution = '1K'): Size {
  const factor = Math.min(MAX_FACTOR, Number(/^([1-9])K$/i.exec(resolution)?.[1] ?? 1))
  const short = SHORT_SIDE * factor
  const long = Math.max(short, Math.floor((short * Math.max(ratio, 1 / ratio)) / GRAIN) * GRAIN)
  return ratio >= 1 ? { width: long, height: short } : { width: short, height: long }
}

/** A picture of this ratio whose longer side is `longest`, in whole steps of a divisor. */
export function sizeWithin(ratio: number, longest: number, divisor: number): Size {
  const step = (length: number) => Math.max(divisor, Math.floor(length / divisor) * divisor)
  return ratio >= 1
    ? { width: step(longest), height: step(longest / ratio) }
    : { width: step(longest * ratio), height: step(longest) }
}

/** The ratio of a list that is nearest to a size, `auto` left out. */
export function nearestRatio(ratios: readonly string[], { width, height }: Size): string | undefined {
  const wanted = Math.log(width / height)
  const known = ratios.flatMap((name) => {
    const ratio = ratioOf(name)
    return ratio === undefined ? [] : [{ name, distance: Math.abs(Math.log(ratio) - wanted) }]
  })
  return known.sort((a, b) => a.distance - b.distance)[0]?.name
}
