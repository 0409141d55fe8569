/** What can be offered by name. */
export type Named = { name: string; keywords?: string }

/** Those that a few letters mean, best first: whose name begins so, then a word of it, then who has it anywhere. */
export function matching<T extends Named>(all: readonly T[], query: string, most = Number.POSITIVE_INFINITY): T[] {
  const wanted = query.toLowerCase()
  const ranked = all.flatMap((one) => {
    const rank = rankOf(one, wanted)
    return rank === undefined ? [] : [{ one, rank }]
  })
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ one }) => one)
}

function rankOf({ name, keywords = '' }: Named, wanted: string): number | undefined {
  const lower = name.toLowerCase()
  if (wanted === '' || lower.startsWith(wanted)) return 0
  if (lower.split(/[\s\-_./:]+/).some((word) => word.startsWith(wanted))) return 1
  if (`${lower} ${keywords.toLowerCase()}`.includes(wanted)) return 2
  return undefined
}
